/** Normalises provider output to text that can be displayed and stored. Its content remains untrusted. */
import { countCodePoints } from '../text.js';
import { ProviderFailure } from './provider-failure.js';

/** Code points. The same maximum as for an article. */
const LONGEST_ANSWER = 100_000;

/**
 * Removes control characters except tab and line feed, replaces lone surrogates, normalises to NFC and trims whitespace.
 * @throws ProviderFailure where the text is empty or too long
 */
export function plainText(answer: string): string {
  requireBounded(answer);
  const text = withoutControls(answer.replace(/\r\n?/g, '\n')).toWellFormed().normalize('NFC').trim();
  if (text === '') throw new ProviderFailure('unreadable');
  if (countCodePoints(text) > LONGEST_ANSWER) throw new ProviderFailure('size');
  return text;
}

/** Cheap bound on the UTF-16 length, also for a response that is still streaming. @throws ProviderFailure */
export function requireBounded(answer: string): void {
  if (answer.length > 2 * LONGEST_ANSWER) throw new ProviderFailure('size');
}

/** Safe for a single chunk of a stream, which may end in the middle of a surrogate pair. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}
