/** Enums of the schema, made from a table of their values and what each means. */
import { registerEnumType } from 'type-graphql';

/** @returns what stands for the enum in the decorators */
export function enumOf(
  name: string,
  description: string,
  descriptions: Record<string, string>,
): Record<string, string> {
  const names = Object.fromEntries(Object.keys(descriptions).map((key) => [key, key]));
  const values = Object.entries(descriptions).map(([key, description]) => [key, { description }]);
  registerEnumType(names, { name, description, valuesConfig: Object.fromEntries(values) });
  return names;
}
