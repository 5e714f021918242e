/** Calls to the AI provider on behalf of a member: counted for the member's budget, aborted when the client disconnects. */
import type { Caller } from '../auth/caller.js';
import { type TextCall, type TextModel } from '../services.js';
import { withinAiBudget } from './budget.js';
import { plainText, requireBounded, withoutControls } from './plain-text.js';
import { requireModel } from './provider.js';
import { usable } from './usable.js';

/** Sends one chunk of text to the client. Resolves when the client can receive the next one (backpressure). */
export type SendPiece = (text: string) => Promise<void>;

/** A caller whose client may receive the text as a stream of chunks. */
export interface AiCaller extends Caller {
  readonly sendPiece?: SendPiece;
}

export interface Said {
  text: string;
  /** Whether the provider truncated the text at the token limit. */
  isCutOff: boolean;
}

/**
 * Sends each chunk as it arrives where `sendPiece` is set. The returned text is the authoritative result.
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
  // Backpressure: the next chunk is read only after the client has received this one, so that no chunks are buffered here.
  for await (const piece of model.stream(call, gone)) {
    text += piece;
    requireBounded(text);
    await sendPiece(withoutControls(piece));
  }
  return { text, isCutOff: false };
}
