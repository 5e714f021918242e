/** Calls to the AI provider on behalf of a member: counted for the member's budget, aborted when the client disconnects. */
import { type Caller } from '../auth/policy.js';
import { withinAiBudget } from './budget.js';
import { plainText, readOutput, requireBounded, withoutControls } from './model-output.js';
import { requireModel, type TextCall, type TextModel } from './provider.js';

/** Sends one chunk of text to the client. Resolves when the client can receive the next one (backpressure). */
export type SendChunk = (text: string) => Promise<void>;

/** A caller whose client may receive the text as a stream of chunks. */
export interface AiCaller extends Caller {
  readonly services: Caller['services'] & { readonly ai: TextModel | null };
  readonly sendChunk?: SendChunk;
}

export interface ModelOutput {
  text: string;
  /** Whether the provider truncated the text at the token limit. */
  isCutOff: boolean;
}

/**
 * Sends each chunk as it arrives where `sendChunk` is set. The returned text is the authoritative result.
 * @throws AppError AI_NOT_CONFIGURED, AI_PROVIDER_FAILED, RATE_LIMITED
 */
export async function promptForMember(caller: AiCaller, call: TextCall): Promise<ModelOutput> {
  const model = requireModel(caller.services.ai);
  return withinAiBudget(caller, async () => {
    const signal = caller.disconnectSignal();
    try {
      const { text, isCutOff } = await complete(caller, model, call, signal);
      return { text: readOutput(call.operation, () => plainText(text)), isCutOff };
    } catch (cause) {
      throw signal.aborted ? signal.reason : cause;
    }
  });
}

async function complete(
  { sendChunk }: AiCaller,
  model: TextModel,
  call: TextCall,
  signal: AbortSignal,
): Promise<ModelOutput> {
  if (!sendChunk) return model.complete(call, signal);
  let text = '';
  // Backpressure: the next chunk is read only after the client has received this one, so that no chunks are buffered here.
  for await (const chunk of model.stream(call, signal)) {
    text += chunk;
    requireBounded(text);
    await sendChunk(withoutControls(chunk));
  }
  return { text, isCutOff: false };
}
