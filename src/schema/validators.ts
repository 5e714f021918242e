/** The validators of inputs, as decorators. Lengths are in code points, as PostgreSQL and JSON Schema count them. */
import { Field, ID } from 'type-graphql';
import { isNewSlug, isSlug, MAX_SLUG_LENGTH } from '../models/article/slug.js';
import { explainDisplayName, MAX_NAME_LENGTH, MIN_DISPLAY_NAME_LENGTH } from '../platform/display-name/rules.js';
import { isEmailAddress, MAX_EMAIL_LENGTH } from '../platform/email-address.js';
import { AppError } from '../platform/errors.js';
import { canonicalLanguage, MAX_LANGUAGE_LENGTH } from '../platform/language-tag.js';
import { createMessage, type Message } from '../platform/messages/message.js';
import { countCodePoints, inspectValue, isVisible, normalizeWebAddress } from '../platform/text.js';
import { isCommonPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../services/auth/password.js';
import { constraint } from './constraints.js';

/** JSON Schema patterns, equivalent with and without the flag `u`. U+0000 is rejected: PostgreSQL cannot store it. */
const ANY_TEXT = '^[^\\u0000]*$';
const NOT_BLANK = '\\S';
const ONE_LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Whether a text may consist of invisible characters: in a change, if it is so already (`requireVisible`), or in a draft. */
interface Stored {
  readonly isStored?: boolean;
}

/** One line of text, trimmed: `min` to `max` code points, no control characters; not invisible. If `min` is 0, an invisible one becomes empty. */
export function Line(min: number, max: number, { isStored = false }: Stored = {}): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    isEmptied: min === 0 && !isStored,
    explain: (value) => explainLine(value, min, max, isStored),
    schema: { minLength: min, maxLength: max, pattern: ONE_LINE },
  });
}

/** A display name: one line that does not impersonate another member or the service. */
export function DisplayName(): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    explain: (value) =>
      explainLine(value, MIN_DISPLAY_NAME_LENGTH, MAX_NAME_LENGTH) ?? explainDisplayName(String(value)),
    schema: { minLength: MIN_DISPLAY_NAME_LENGTH, maxLength: MAX_NAME_LENGTH, pattern: ONE_LINE },
  });
}

/** One line of at most `words` words, separated by white space. */
export function Words(words: number, min: number, max: number): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    explain: (value) => explainLine(value, min, max) ?? explainWords(String(value), words),
    schema: { minLength: min, maxLength: max, pattern: ONE_LINE },
  });
}

/** A list of at most `items` lines, each of `min` to `max` code points. */
export function Lines(items: number, min: number, max: number, { isStored = false }: Stored = {}): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    explain: (value) => explainLines(value, min, max, isStored),
    schema: { maxItems: items, items: { minLength: min, maxLength: max, pattern: ONE_LINE } },
  });
}

/** A list of at least one value of an enum with these values. */
export function Choices(values: readonly string[]): PropertyDecorator {
  return constraint({
    explain: explainChoices,
    schema: { minItems: 1, maxItems: values.length, items: { enum: values } },
  });
}

/** Text that is not trimmed: `min` to `max` code points; not blank or invisible. If `min` is 0, such a text becomes empty. */
export function Prose(min: number, max: number, { isStored = false }: Stored = {}): PropertyDecorator {
  return constraint({
    isEmptied: min === 0 && !isStored,
    explain: (value) => explainProse(value, min, max, isStored),
    schema: { minLength: min, maxLength: max, pattern: min === 0 ? ANY_TEXT : NOT_BLANK },
  });
}

/** A slug once it is normalized (`normalizeSlug`). @param min 0: it may also be empty */
export function Slug(min: 0 | 1 = 1): PropertyDecorator {
  return slug(min, isNewSlug);
}

/** The slug of an article, which may have been stored by an earlier version. */
export function StoredSlug(): PropertyDecorator {
  return slug(1, isSlug);
}

function slug(min: 0 | 1, isValid: (text: string) => boolean): PropertyDecorator {
  return constraint({
    explain: (value) =>
      explainLine(value, min, MAX_SLUG_LENGTH, true) ??
      (value === '' || isValid(String(value)) ? null : createMessage('notSlug', inspectValue(value))),
    schema: { minLength: min, maxLength: MAX_SLUG_LENGTH, pattern: ONE_LINE },
  });
}

/** An absolute http or https address without credentials, of at most `max` characters as it is stored (`normalizeWebAddress`); or empty. */
export function WebAddress(max: number): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    explain: (value) => explainLine(value, 0, max) ?? (value === '' ? null : explainWebAddress(String(value), max)),
    schema: { minLength: 0, maxLength: max, pattern: ONE_LINE },
  });
}

/** A new password (ASVS 5.0 §6.2): any characters, not truncated, not one of the most common passwords. */
export function NewPassword(): PropertyDecorator {
  return constraint({
    explain: explainNewPassword,
    schema: { minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH, pattern: ANY_TEXT },
  });
}

/** A password to verify. Passwords above the maximum length are rejected before the expensive hash is computed. */
export function CurrentPassword(): PropertyDecorator {
  return constraint({
    explain: (value) => explainLength(value, 1, MAX_PASSWORD_LENGTH),
    schema: { minLength: 1, maxLength: MAX_PASSWORD_LENGTH, pattern: ANY_TEXT },
  });
}

/** An id: a positive decimal integer. Ids beyond the range of any row are still valid. */
export function Id(): PropertyDecorator {
  return constraint({ explain: explainId, schema: { minimum: 1 } });
}

/** A field with an id. */
export function IdField(description: string, options: { nullable?: boolean } = {}): PropertyDecorator {
  return (target, name) => {
    Field(() => ID, { description, ...options })(target, name);
    Id()(target, name);
  };
}

/** An id, or 0 for none. */
function IdOrZero(): PropertyDecorator {
  return constraint({
    explain: (value) =>
      /^(?:0|[1-9]\d*)$/.test(String(value)) ? null : createMessage('mustBeIdOrZero', inspectValue(value)),
    schema: { minimum: 0 },
  });
}

/** A language tag, which becomes canonical. @param min 0: it may also be empty */
export function Language(min: 0 | 1): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    explain: (value) =>
      explainLength(value, min, MAX_LANGUAGE_LENGTH) ??
      (value === '' || canonicalLanguage(String(value)) !== null
        ? null
        : createMessage('notLanguage', inspectValue(value))),
    canonical: (value) => canonicalLanguage(value) ?? value,
    schema: { minLength: min, maxLength: MAX_LANGUAGE_LENGTH, pattern: ONE_LINE },
  });
}

/** The article that a text is a translation of, in an input. */
export function TranslationOfField(): PropertyDecorator {
  return (target, name) => {
    const description =
      'One of your articles in another language: both, and its other translations, are translations of each other then. 0: of none. Absent: unchanged.';
    Field(() => ID, { nullable: true, description })(target, name);
    IdOrZero()(target, name);
  };
}

/** A list of at most `items` ids, each of them once. */
export function DistinctIds(items: number): PropertyDecorator {
  return constraint({
    explain: explainDistinctIds,
    schema: { maxItems: items, uniqueItems: true, items: { minimum: 1 } },
  });
}

/** The JSON Schema of a UUID; in REST, other ids are integers. */
export const UUID_SCHEMA = { type: 'string', format: 'uuid', minLength: 36, maxLength: 36 };

/** An id that is a UUID. */
export function Uuid(): PropertyDecorator {
  return constraint({
    explain: (value) =>
      /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(value))
        ? null
        : createMessage('mustBeUuid', inspectValue(value)),
    schema: UUID_SCHEMA,
  });
}

/** The JSON Schema of a day. */
export const DATE_SCHEMA = { format: 'date', minLength: 10, maxLength: 10 };

/** A day, `YYYY-MM-DD`. */
export function CalendarDate(): PropertyDecorator {
  return constraint({
    explain: (value) => (isDate(String(value)) ? null : createMessage('mustBeDate', inspectValue(value))),
    schema: DATE_SCHEMA,
  });
}

export function WholeNumber(min: number, max = 2_147_483_647): PropertyDecorator {
  return constraint({
    explain: (value) =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max
        ? null
        : createMessage('mustBeBetween', min, max, inspectValue(value)),
    schema: { minimum: min, maximum: max },
  });
}

/** An email address `local@domain`, with the length limits of RFC 5321 §4.5.3.1. Existence of the mailbox is not checked. */
export function Email(): PropertyDecorator {
  return constraint({
    isTrimmed: true,
    explain: explainEmail,
    schema: { format: 'email', minLength: 3, maxLength: MAX_EMAIL_LENGTH },
  });
}

export function explainNewPassword(value: unknown): Message | null {
  const wrong = explainLength(value, MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH);
  if (wrong || !isCommonPassword(String(value))) return wrong;
  return createMessage('passwordCommon');
}

function explainId(value: unknown): Message | null {
  return /^[1-9]\d*$/.test(String(value)) ? null : createMessage('mustBeId', inspectValue(value));
}

function explainDistinctIds(value: unknown): Message | null {
  if (!Array.isArray(value)) return createMessage('mustBeArray', inspectValue(value));
  const wrong = value.map(explainId).find((message) => message !== null);
  if (wrong) return createMessage('each', wrong);
  const seen = new Set<unknown>();
  const repeated = value.find((id) => seen.size === seen.add(id).size);
  return repeated === undefined ? null : createMessage('elementRepeated', String(repeated));
}

/** PostgreSQL has no year 0, and Date accepts February 31. */
function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) && !text.startsWith('0000');
}

function explainChoices(value: unknown): Message | null {
  if (!Array.isArray(value)) return createMessage('mustBeArray', inspectValue(value));
  return value.length > 0 ? null : createMessage('mustHaveElement');
}

function explainLines(value: unknown, min: number, max: number, isStored: boolean): Message | null {
  if (!Array.isArray(value)) return createMessage('mustBeArray', inspectValue(value));
  const wrong = value.map((item) => explainLine(item, min, max, isStored)).find((message) => message !== null);
  return wrong ? createMessage('each', wrong) : null;
}

function explainLine(value: unknown, min: number, max: number, isStored = false): Message | null {
  const wrong = explainLength(value, min, max);
  if (wrong) return wrong;
  if (/[\p{Cc}\u2028\u2029]/u.test(String(value))) return createMessage('notOneLine');
  return min === 0 || isStored || isVisible(String(value)) ? null : createMessage('blank');
}

function explainWebAddress(value: string, max: number): Message | null {
  const address = normalizeWebAddress(value);
  return address === null ? createMessage('notWebAddress', inspectValue(value)) : explainLength(address, 0, max);
}

function explainWords(value: string, max: number): Message | null {
  const words = value.split(/\s+/).filter((word) => word !== '');
  return words.length <= max ? null : createMessage('tooManyWords', max, words.length);
}

function explainProse(value: unknown, min: number, max: number, isStored: boolean): Message | null {
  const wrong = explainLength(value, min, max);
  if (wrong || min === 0 || (isStored ? /\S/.test(String(value)) : isVisible(String(value)))) return wrong;
  return createMessage('blank');
}

/**
 * Of texts whose rules have `isStored`: those that differ from the stored ones must be visible.
 * @throws AppError VALIDATION_FAILED
 */
export function requireVisible<Texts extends Record<string, string | readonly string[] | null | undefined>>(
  texts: Texts,
  stored: { readonly [Name in keyof Texts]: string | readonly string[] },
): void {
  const errors = Object.entries(texts).flatMap(([field, value]) => {
    const known = [stored[field] ?? []].flat();
    const isNew = (text: string) => !isVisible(text) && !known.includes(text);
    return [value ?? []].flat().some(isNew) ? [{ field, message: createMessage('blank') }] : [];
  });
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
}

function explainLength(value: unknown, min: number, max: number): Message | null {
  if (typeof value !== 'string') return createMessage('mustBeString', inspectValue(value));
  const length = countCodePoints(value);
  if (length >= min && length <= max) return null;
  return createMessage('lengthWrong', min, max, length);
}

function explainEmail(value: unknown): Message | null {
  const wrong = explainLength(value, 3, MAX_EMAIL_LENGTH);
  return wrong ?? (isEmailAddress(String(value)) ? null : createMessage('notEmail'));
}
