/** Registers GraphQL enums from a table of values and their descriptions. */
import { registerEnumType } from 'type-graphql';

/** @returns the enum object to reference in decorators */
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
