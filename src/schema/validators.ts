/** Validators of inputs. What they require also becomes the constraints in the OpenAPI document. */
import { ValidateBy, type ValidationArguments, type ValidationError, validate } from 'class-validator';
import { AppError, type FieldError } from '../errors.js';

type InputClass = new () => object;
type Value = Record<string, unknown>;

/** Input classes by name, which is also their GraphQL name. */
const inputClasses = new Map<string, InputClass>();
/** Properties that are trimmed, by class. */
const trimmed = new Map<unknown, Set<string>>();

/** One line of text, trimmed: `least` to `most` code points, no control characters. */
export function Line(least: number, most: number, each = false): PropertyDecorator {
  return (target, property) => {
    const properties = trimmed.get(target.constructor) ?? new Set();
    trimmed.set(target.constructor, properties.add(String(property)));
    constraint('line', [least, most], (value) => explainLine(value, least, most), each)(target, property);
  };
}

/** Text kept as it is: `least` to `most` code points, not only white space. */
export function Prose(least: number, most: number): PropertyDecorator {
  return constraint('prose', [least, most], (value) => explainProse(value, least, most));
}

/** A new password: ASVS 5.0 §6.2: any characters, counted in code points, nothing cut off. */
export function NewPassword(): PropertyDecorator {
  return constraint('newPassword', [8, 128], (value) => explainLength(value, 8, 128));
}

/** A password to compare. Longer ones than can be set are refused before they cost a hash. */
export function CurrentPassword(): PropertyDecorator {
  return constraint('currentPassword', [1, 128], (value) => explainLength(value, 1, 128));
}

/** An id: a positive whole number in decimal. One that is too large for any row is still well formed. */
export function Id(): PropertyDecorator {
  return constraint('id', [], (value) =>
    /^[1-9]\d*$/.test(String(value)) ? null : `must be a positive whole number, got ${show(value)}`,
  );
}

export function WholeNumber(least: number, most = 2_147_483_647): PropertyDecorator {
  return constraint('wholeNumber', [least, most], (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be a whole number from ${least} to ${most}, got ${show(value)}`,
  );
}

/** An address as `local@domain`: RFC 5321 §4.5.3.1 bounds its parts; whether it exists only a message could tell. */
export function Email(): PropertyDecorator {
  return (target, property) => {
    const properties = trimmed.get(target.constructor) ?? new Set();
    trimmed.set(target.constructor, properties.add(String(property)));
    constraint('email', [], explainEmail)(target, property);
  };
}

/** Makes text NFC and checks every property. @throws AppError VALIDATION_FAILED naming every field at fault. */
export async function requireValid(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null) return;
  const errors = await findInvalid(value);
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
}

/** The errors that the input named `className` would have for these values. Fields left out are not at fault here. */
export async function findInvalidAs(className: string, values: object): Promise<FieldError[]> {
  const inputClass = inputClasses.get(className);
  return inputClass ? findInvalid(Object.assign(new inputClass(), values)) : [];
}

/** The class whose validators an input object type has; undefined where it has none. */
export function inputClassNamed(name: string): InputClass | undefined {
  return inputClasses.get(name);
}

async function findInvalid(value: object): Promise<FieldError[]> {
  const unreadable = normalise(value as Value, trimmed.get(value.constructor) ?? new Set());
  const nested = (await Promise.all(Object.values(value).filter(isInput).map(findInvalid))).flat();
  const options = { skipMissingProperties: true, forbidUnknownValues: false };
  const failed = inputClasses.has(value.constructor.name) ? (await validate(value, options)).map(toFieldError) : [];
  const named = new Set(unreadable.map(({ field }) => field));
  return [...unreadable, ...failed.filter(({ field }) => !named.has(field)), ...nested];
}

function isInput(value: unknown): value is object {
  return typeof value === 'object' && value !== null && inputClasses.has(value.constructor.name);
}

function toFieldError({ property, constraints = {} }: ValidationError): FieldError {
  return { field: property, message: Object.values(constraints).join('; ') };
}

/** Rewrites text in place as NFC. @returns the fields whose text PostgreSQL could not keep. */
function normalise(value: Value, lines: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const clean = (field: string, text: unknown) => {
    if (typeof text !== 'string') return text;
    if (text.includes('\0')) errors.push({ field, message: 'must not contain the character U+0000' });
    else if (!text.isWellFormed()) errors.push({ field, message: 'must be well-formed Unicode, got half of a pair' });
    const normal = text.normalize('NFC');
    return lines.has(field) ? normal.trim() : normal;
  };
  for (const [field, held] of Object.entries(value)) {
    value[field] = Array.isArray(held) ? held.map((item) => clean(field, item)) : clean(field, held);
  }
  return errors;
}

function explainLine(value: unknown, least: number, most: number): string | null {
  const wrong = explainLength(value, least, most);
  if (wrong || !/\p{Cc}/u.test(String(value))) return wrong;
  return 'must be one line without control characters';
}

function explainProse(value: unknown, least: number, most: number): string | null {
  return explainLength(value, least, most) ?? (least === 0 || /\S/.test(String(value)) ? null : 'must not be blank');
}

function explainLength(value: unknown, least: number, most: number): string | null {
  if (typeof value !== 'string') return `must be text, got ${show(value)}`;
  const length = countCodePoints(value);
  if (length >= least && length <= most) return null;
  return `must be ${least} to ${most} characters long, got ${length}`;
}

function explainEmail(value: unknown): string | null {
  const wrong = explainLength(value, 3, 254);
  if (wrong) return wrong;
  const [, local = '', domain = ''] = /^([^\s\p{Cc}\p{Cf}@"(),:;<>[\]\\]+)@([^\s@]+)$/u.exec(String(value)) ?? [];
  const labels = domain.split('.');
  const isDomain =
    labels.length > 1 && labels.every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u.test(label));
  const isLocal = local.length > 0 && local.length <= 64 && !/^\.|\.\.|\.$/.test(local);
  return isDomain && isLocal ? null : 'must be an email address such as name@example.org';
}

/** Lengths are in code points: an emoji counts once, whatever its UTF-16 form. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A value as it came, short enough for a message. */
export function show(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}

function constraint(
  name: string,
  constraints: unknown[],
  explain: (value: unknown) => string | null,
  each = false,
): PropertyDecorator {
  return (target, property) => {
    inputClasses.set(target.constructor.name, target.constructor as InputClass);
    ValidateBy(
      {
        name,
        constraints,
        validator: {
          validate: (value) => explain(value) === null,
          defaultMessage: (args?: ValidationArguments) => explainFirst(args?.value, explain, each),
        },
      },
      { each },
    )(target, property);
  };
}

function explainFirst(value: unknown, explain: (value: unknown) => string | null, each: boolean): string {
  if (!each || !Array.isArray(value)) return explain(value) ?? '';
  return `each ${value.map(explain).find((message) => message !== null) ?? ''}`;
}
