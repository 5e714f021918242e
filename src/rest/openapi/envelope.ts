/** The envelope around every answer, in the OpenAPI document. */
import type { Json } from './json.js';

/** What the data of an answer that returns nothing is. */
export const EMPTY: Json = { type: 'object', description: 'Nothing.', additionalProperties: false };

export function envelope(code: Json, data: Json): Json {
  return closed({
    code: { type: 'string', ...code },
    message: { type: 'string', description: 'In the language of the answer, for people.' },
    data,
  });
}

/** An object that has all of these properties, and no others. */
export function closed(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
