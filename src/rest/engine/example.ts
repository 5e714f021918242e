/** Example requests of endpoints: checks them against the sources, and extracts the JSON body. */
import type { CompleteEndpoint } from './endpoint.js';
import { valuesOf } from './source.js';

/** Checks that each name is that of a source, and that each path, query and header source has an example. @throws Error */
export function checkExample({ body, example, variables }: CompleteEndpoint): void {
  const values = Object.values(variables).flatMap(valuesOf);
  const unknownName = Object.keys(example).find((name) => !values.some((value) => value.name === name));
  if (unknownName !== undefined)
    throw new Error(`unknown input ${unknownName} in the example: no variable has this source`);
  const missingExample = values.find(
    ({ in: location, name }) => !['field', 'file', 'body', 'presence'].includes(location) && !(name in example),
  );
  if (missingExample) throw new Error(`the example has no value for ${missingExample.name}`);
  const fields = values.filter(({ in: location, name }) => location === 'field' && name in example);
  if (body !== 'none' && body !== 'file' && fields.length === 0)
    throw new Error('the example has no field of the body');
}

/** The example of the JSON body. */
export function bodyExampleOf({ example, variables }: CompleteEndpoint): Record<string, unknown> {
  const fields = Object.values(variables)
    .flatMap(valuesOf)
    .filter(({ in: location, name }) => location === 'field' && name in example);
  return Object.fromEntries(fields.map(({ name }) => [name, example[name]]));
}
