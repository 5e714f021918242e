/** Validates provider output, and normalizes it to text that can be displayed and stored. Its content remains untrusted. */
import { countCodePoints } from '../../platform/text.js';
import { countFailure } from './metrics.js';
import type { AiOperation } from './provider.js';
import { ProviderFailure } from './provider-failure.js';

/** Code points. The same maximum as for an article. */
export const MAX_OUTPUT_LENGTH = 100_000;

/** Runs `read`, and counts a ProviderFailure that it throws: output that cannot be used. */
export function readOutput<Result>(operation: AiOperation, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProviderFailure) countFailure(operation, error.reason);
    throw error;
  }
}

/**
 * Removes control characters except tab and line feed, replaces lone surrogates, normalizes to NFC and trims whitespace.
 * @throws ProviderFailure if the text is empty or too long
 */
export function plainText(output: string): string {
  requireBounded(output);
  const text = withoutControls(output.replace(/\r\n?/g, '\n')).toWellFormed().normalize('NFC').trim();
  if (text === '') throw new ProviderFailure('unreadable');
  if (countCodePoints(text) > MAX_OUTPUT_LENGTH) throw new ProviderFailure('size');
  return text;
}

/** Cheap bound on the UTF-16 length, also for a response that is still streaming. @throws ProviderFailure */
export function requireBounded(output: string): void {
  if (output.length > 2 * MAX_OUTPUT_LENGTH) throw new ProviderFailure('size');
}

/** Safe for a single chunk of a stream, which may end in the middle of a surrogate pair. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}
