/** The envelope of every response in the OpenAPI document. */
import type { Json } from './json.js';

/** The `data` of a response without a result: `{}`. */
export const EMPTY: Json = { type: 'object', description: 'An empty object.', additionalProperties: false };

export function envelope(code: Json, data: Json): Json {
  return closed({
    code: { type: 'string', ...code },
    message: { type: 'string', description: 'Human-readable message in the language of the response.' },
    data,
  });
}

/** An object schema: all of these properties are required, and no others are allowed. */
export function closed(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
