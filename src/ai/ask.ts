/** Asks the provider on behalf of a member: on the member's budget, and no longer than they wait for it. */
import type { Caller } from '../auth/caller.js';
import { type TextCall, type TextModel } from '../services.js';
import { withinAiBudget } from './budget.js';
import { plainText, requireBounded, withoutControls } from './plain-text.js';
import { requireModel } from './provider.js';
import { usable } from './usable.js';

/** Sends a part of a text to the client; resolves when the client can take another one. */
export type SendPiece = (text: string) => Promise<void>;

/** A caller who may take the text in parts. */
export interface AiCaller extends Caller {
  readonly sendPiece?: SendPiece;
}

export interface Said {
  text: string;
  /** It would have been longer. */
  isCutOff: boolean;
}

/**
 * Whoever takes the answer in pieces gets each as it comes; what is returned counts.
 * @throws AppError AI_NOT_CONFIGURED, AI_PROVIDER_FAILED, RATE_LIMITED
 */
export async function askForMember(caller: AiCaller, call: TextCall): Promise<Said> {
  const model = requireModel(caller);
  return withinAiBudget(caller, async () => {
    const gone = caller.gone();
    try {
      const { text, isCutOff } = await ask(caller, model, call, gone);
      return { text: usable(call.operation, () => plainText(text)), isCutOff };
    } catch (cause) {
      throw gone.aborted ? gone.reason : cause;
    }
  });
}

async function ask({ sendPiece }: AiCaller, model: TextModel, call: TextCall, gone: AbortSignal): Promise<Said> {
  if (!sendPiece) return model.complete(call, gone);
  let text = '';
  // The next piece is read when the client has taken this one: nothing piles up here.
  for await (const piece of model.stream(call, gone)) {
    text += piece;
    requireBounded(text);
    await sendPiece(withoutControls(piece));
  }
  return { text, isCutOff: false };
}
