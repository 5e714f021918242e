/** Validation rules of input classes: registration, evaluation, and export as JSON Schema for the OpenAPI document. */
import { AppError, type FieldError } from '../platform/errors.js';
import { createMessage, type Message } from '../platform/messages/message.js';
import { isVisible } from '../platform/text.js';

export interface Constraint {
  /** The error message for a value that is not null; null if it is valid. */
  explain(value: unknown): Message | null;
  /** The rule as JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the text is trimmed before validation. */
  readonly isTrimmed?: boolean;
  /** Whether a text that cannot be seen becomes empty before validation. */
  readonly isEmptied?: boolean;
  /** The form in which a valid text is used. */
  canonical?(value: string): string;
}

export type InputClass = new () => object;

type Rules = ReadonlyMap<string, Constraint>;

/** Classes with rules, by class name, which is also their GraphQL name. */
const inputClasses = new Map<string, InputClass>();
const ownRules = new WeakMap<object, Map<string, Constraint>>();
const resolved = new WeakMap<object, Rules>();

/** Attaches a rule to a property of an input class. */
export function constraint(attached: Constraint): PropertyDecorator {
  return (target, property) => {
    const inputClass = target.constructor as InputClass;
    inputClasses.set(inputClass.name, inputClass);
    const rules = ownRules.get(inputClass) ?? new Map();
    ownRules.set(inputClass, rules.set(String(property), attached));
  };
}

/** Registers an input type that only inherits rules. */
export function Constrained(): ClassDecorator {
  return (inputClass) => {
    inputClasses.set(inputClass.name, inputClass as unknown as InputClass);
  };
}

/** Normalizes texts in place and checks every property. @throws AppError VALIDATION_FAILED with every invalid field */
export function requireValid(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const errors = findInvalid(value);
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
}

/**
 * The errors that an input class would report for these values. Absent fields are not reported.
 * @param input an input type also by its name; the classes of arguments have names that are not unique
 */
export function findInvalidAs(input: InputClass | string, values: object): FieldError[] {
  const inputClass = classOf(input);
  return inputClass ? findInvalid(Object.assign(new inputClass(), values)) : [];
}

/** The constraints of a property as JSON Schema; `{}` if the class has no rule for it. */
export function constraintsOf(input: InputClass | string, property: string): Readonly<Record<string, unknown>> {
  const inputClass = classOf(input);
  return (inputClass && rulesOf(inputClass).get(property)?.schema) ?? {};
}

function classOf(input: InputClass | string): InputClass | undefined {
  return typeof input === 'string' ? inputClasses.get(input) : input;
}

/** Replaces `{range}` ("1 to 100") and `{max}` in a description with the constraints of the property. */
export function describeConstraints(description: string, inputClass: InputClass, property: string): string {
  if (!/\{(?:range|max)\}/.test(description)) return description;
  const {
    minLength,
    maxLength,
    minimum = minLength,
    maxItems,
    maximum = maxLength ?? maxItems,
  } = constraintsOf(inputClass, property);
  if (maximum === undefined) throw new Error(`${inputClass.name}.${property} has no maximum to describe`);
  const [min, max] = [minimum, maximum].map((value) => Number(value ?? 0).toLocaleString('en'));
  return description.replace('{range}', `${min} to ${max}`).replace('{max}', `${max}`);
}

/** The maximum length of a list; 0 if the class has no rule for it. */
export function maxItemsOf(className: string, property: string): number {
  return Number(constraintsOf(className, property).maxItems ?? 0);
}

function findInvalid(input: object): FieldError[] {
  const rules = rulesOf(input.constructor);
  const errors: FieldError[] = [];
  const values = input as Record<string, unknown>;
  for (const field of Object.keys(values)) {
    const rule = rules.get(field);
    const tooLong = explainLength(values[field], rule);
    if (tooLong) {
      errors.push({ field, message: tooLong });
      continue;
    }
    const value = clean(values[field], rule);
    values[field] = value;
    if (value == null) continue;
    const message = explainUnreadable(value) ?? rule?.explain(value) ?? null;
    if (message !== null) errors.push({ field, message });
    else if (rule?.canonical) values[field] = rule.canonical(String(value));
    else if (isInput(value)) errors.push(...findInvalid(value));
  }
  return errors;
}

/** The rules of a class, including inherited ones. */
function rulesOf(inputClass: object): Rules {
  const cached = resolved.get(inputClass);
  if (cached) return cached;
  const parent: object | null = Object.getPrototypeOf(inputClass);
  const rules = new Map([...(parent ? rulesOf(parent) : []), ...(ownRules.get(inputClass) ?? [])]);
  resolved.set(inputClass, rules);
  return rules;
}

function isInput(value: unknown): value is object {
  // The objects of a scalar have no constructor if they are literals in the document.
  if (typeof value !== 'object' || typeof value?.constructor !== 'function') return false;
  return inputClasses.get(value.constructor.name) === value.constructor;
}

function clean(value: unknown, rule: Constraint | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, rule));
  if (typeof value !== 'string') return value;
  const normal = value.normalize('NFC');
  if (rule?.isEmptied && !isVisible(normal) && !normal.includes('\0')) return '';
  return rule?.isTrimmed ? normal.trim() : normal;
}

/** Rejects a long list before each of its elements is read. */
function explainLength(value: unknown, rule: Constraint | undefined): Message | null {
  const { maxItems } = rule?.schema ?? {};
  if (!Array.isArray(value) || typeof maxItems !== 'number' || value.length <= maxItems) return null;
  return createMessage('tooManyElements', maxItems, value.length);
}

/** Rejects text that PostgreSQL cannot store (U+0000) or that would be stored changed (unpaired surrogates). */
function explainUnreadable(value: unknown): Message | null {
  if (Array.isArray(value)) return value.map(explainUnreadable).find((message) => message !== null) ?? null;
  if (typeof value !== 'string') return null;
  if (value.includes('\0')) return createMessage('containsNul');
  return value.isWellFormed() ? null : createMessage('notWellFormed');
}
