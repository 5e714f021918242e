/** Rewrites a text in a writing style with the AI provider. */
import { countCodePoints } from '../text.js';
import { type AiCaller, type ModelOutput, promptForMember } from './prompt.js';
import { ProviderFailure } from './provider-failure.js';
import { type Style, stylePrompt } from './style-prompt.js';
import { usable } from './usable.js';

/** Tokens: the output limit of today's smaller models. */
const LONGEST_ANSWER = 16_000;
/** Tokens per character in the languages that need the most. */
const TOKENS_PER_CHARACTER = 3;
/** Allowance for short texts that grow, and for the reasoning tokens of some models. */
const SPARE_TOKENS = 4_000;

/**
 * A truncated response is a failure, because the result must be the complete text.
 * @throws AppError AI_NOT_CONFIGURED, AI_PROVIDER_FAILED, RATE_LIMITED
 */
export async function putIntoStyle(caller: AiCaller, content: string, style: Style): Promise<string> {
  const said = await promptForMember(caller, {
    operation: 'style',
    messages: stylePrompt(content, style),
    maxOutputTokens: Math.min(LONGEST_ANSWER, SPARE_TOKENS + countCodePoints(content) * TOKENS_PER_CHARACTER),
  });
  return usable('style', () => wholeOf(said));
}

function wholeOf({ text, isCutOff }: ModelOutput): string {
  if (isCutOff) throw new ProviderFailure('cutOff');
  return text;
}
