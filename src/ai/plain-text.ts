/** What a provider says, made into text that can be shown and kept. It stays untrusted: it may say anything. */
import { countCodePoints } from '../text.js';
import { ProviderFailure } from './failure.js';

/** Code points. As many as an article may have. */
const LONGEST_ANSWER = 100_000;

/**
 * Of control characters only tabs and line feeds; no halves of surrogate pairs; no blanks around it.
 * @throws ProviderFailure where nothing is left, or too much
 */
export function plainText(answer: string): string {
  requireBounded(answer);
  const text = withoutControls(answer.replace(/\r\n?/g, '\n')).toWellFormed().normalize('NFC').trim();
  if (text === '') throw new ProviderFailure('unreadable');
  if (countCodePoints(text) > LONGEST_ANSWER) throw new ProviderFailure('size');
  return text;
}

/** For an answer that still comes. @throws ProviderFailure */
export function requireBounded(answer: string): void {
  if (answer.length > 2 * LONGEST_ANSWER) throw new ProviderFailure('size');
}

/** Also of a piece of an answer, which may end in the middle of a surrogate pair. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}
