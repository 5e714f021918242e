/** Asks the provider on behalf of a member: on the member's budget, and no longer than they wait for it. */
import type { Context } from '../context.js';
import { withinAiBudget } from './budget.js';
import { plainText, requireBounded, withoutControls } from './plain-text.js';
import { requireModel, type TextCall, type TextModel } from './provider.js';
import { usable } from './usable.js';

export interface Said {
  text: string;
  /** It would have been longer. */
  isCutOff: boolean;
}

/**
 * Whoever takes the answer in pieces gets each as it comes; what is returned counts.
 * @throws AppError AI_NOT_CONFIGURED, AI_PROVIDER_FAILED, RATE_LIMITED
 */
export async function askForMember(context: Context, call: TextCall): Promise<Said> {
  const model = requireModel(context);
  return withinAiBudget(context, async () => {
    const gone = context.gone();
    try {
      const { text, isCutOff } = await ask(context, model, call, gone);
      return { text: usable(call.operation, () => plainText(text)), isCutOff };
    } catch (cause) {
      throw gone.aborted ? gone.reason : cause;
    }
  });
}

async function ask({ sendPiece }: Context, model: TextModel, call: TextCall, gone: AbortSignal): Promise<Said> {
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
