/** Parsers of arguments of subcommands. */
import { InvalidArgumentError } from 'commander';

export function wholeNumber(text: string, min: number): number {
  const value = Number(text);
  if (text !== '' && Number.isSafeInteger(value) && value >= min) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${min}.`);
}

/** What `textOf` accepts. */
export const lineOf = (maxCharacters: number): string => `1 to ${maxCharacters} characters in one line`;

/** A parser for a text that is not blank, of at most this many characters. */
export function textOf(maxCharacters: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim().normalize('NFC');
    if (trimmed !== '' && [...trimmed].length <= maxCharacters && !/\p{Cc}/u.test(trimmed)) return trimmed;
    throw new InvalidArgumentError(`Expected ${lineOf(maxCharacters)}.`);
  };
}
