/** The envelope of every response in the OpenAPI document. */
import type { Json } from './json.js';

/** The `data` of a response without a result: `{}`. */
export const EMPTY: Json = { type: 'object', description: 'Nothing.', additionalProperties: false };

export function envelope(code: Json, data: Json): Json {
  return closed({
    code: { type: 'string', ...code },
    message: { type: 'string', description: 'In the language of the answer, for people.' },
    data,
  });
}

/** An object schema: all of these properties are required, and no others are allowed. */
export function closed(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
