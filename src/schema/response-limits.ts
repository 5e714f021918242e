/** Maximum lengths of response fields, for the OpenAPI document: taken from the rules of the inputs that the values come from. */
import { Extensions } from 'type-graphql';
import { constraintsOf } from './constraints.js';

type Schema = Readonly<Record<string, unknown>>;
type AnyInput<Input> = abstract new () => Input;

/** For a field with the value of this input property, or with text that replaces it: `(deleted)`, `(hidden)`. */
export function LimitedAs<Input extends object>(
  input: () => AnyInput<Input>,
  property: keyof Input & string,
): MethodDecorator & PropertyDecorator {
  // Evaluated later: at the time of decoration the input class may not be defined.
  return Extensions({ jsonSchema: () => maximaOf(constraintsOf(input().name, property)) });
}

/** For a text of at most this number of code points. */
export function MaxLength(maxLength: number): MethodDecorator & PropertyDecorator {
  return Extensions({ jsonSchema: { maxLength } });
}

/** For a list of at most this number of elements. */
export function MaxItems(maxItems: number): MethodDecorator & PropertyDecorator {
  return Extensions({ jsonSchema: { maxItems } });
}

function maximaOf({ maxLength, maxItems, items }: Schema): Schema {
  if (maxLength === undefined && maxItems === undefined) throw new Error('the input property has no maximum');
  return maxItems === undefined ? { maxLength } : { maxItems, items: maximaOf(items as Schema) };
}
