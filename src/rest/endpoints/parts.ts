/** Parts of endpoint declarations. */
import { field, type ValueSource } from '../engine/source.js';

/** Defaults of a GET endpoint: status 200, the message `ok`, no body and no additional errors. */
export const READ = { method: 'GET', status: 200, message: 'ok', body: 'none', errors: [] } as const;

/** Fields of the JSON body that have the same names in the input object. */
export function fields(...names: string[]): Record<string, ValueSource> {
  return Object.fromEntries(names.map((name) => [name, field(name)]));
}
