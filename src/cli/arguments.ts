/** Parsers of arguments of subcommands. */
import { InvalidArgumentError } from 'commander';
import { explainDisplayName, MAX_NAME_LENGTH, MIN_DISPLAY_NAME_LENGTH } from '../platform/display-name/rules.js';
import { isEmailAddress } from '../platform/email-address.js';

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

export function emailAddress(text: string): string {
  if (isEmailAddress(text)) return text;
  throw new InvalidArgumentError('Expected an email address.');
}

export function displayName(text: string): string {
  const name = text.trim().normalize('NFC');
  const { length } = [...name];
  if (length < MIN_DISPLAY_NAME_LENGTH || length > MAX_NAME_LENGTH)
    throw new InvalidArgumentError(`Expected ${MIN_DISPLAY_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters.`);
  const wrong = explainDisplayName(name);
  if (wrong) throw new InvalidArgumentError(`The nickname ${wrong.in('en')}.`);
  return name;
}
