/** Puts a text into a style, by asking the provider. */
import { countCodePoints } from '../text.js';
import { type AiCaller, askForMember, type Said } from './ask.js';
import { ProviderFailure } from './failure.js';
import { type Style, stylePrompt } from './style-prompt.js';
import { usable } from './usable.js';

/** Tokens: what the smaller models of today can write at once. */
const LONGEST_ANSWER = 16_000;
/** Of a character, in the languages that take the most. */
const TOKENS_PER_CHARACTER = 3;
/** For what a short text may grow by, and for models that think before they answer. */
const SPARE_TOKENS = 4_000;

/**
 * Half a text is no text in another style: an answer that is cut off counts as none.
 * @throws AppError AI_NOT_CONFIGURED, AI_PROVIDER_FAILED, RATE_LIMITED
 */
export async function putIntoStyle(caller: AiCaller, content: string, style: Style): Promise<string> {
  const said = await askForMember(caller, {
    operation: 'style',
    messages: stylePrompt(content, style),
    maxOutputTokens: Math.min(LONGEST_ANSWER, SPARE_TOKENS + countCodePoints(content) * TOKENS_PER_CHARACTER),
  });
  return usable('style', () => wholeOf(said));
}

function wholeOf({ text, isCutOff }: Said): string {
  if (isCutOff) throw new ProviderFailure('cutOff');
  return text;
}
