/** REST's forms of the scalars, in the OpenAPI document. */
import type { Json } from './json.js';

const LARGEST_INT = 2_147_483_647;

/** An id past the largest one that JSON can carry exactly names nothing. */
const ID: Json = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Whatever is counted; each input has bounds of its own. */
export const COUNT: Json = { type: 'integer', format: 'int32', minimum: 0, maximum: LARGEST_INT };

/** Of a request: printable, and within what Node.js takes of all headers together. */
export const HEADER_VALUE: Json = { type: 'string', maxLength: 16_384, pattern: '^[\\t -~]*$' };

export const SCALARS: Readonly<Record<string, Json>> = {
  ID,
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: COUNT,
  Float: { type: 'number' },
  DateTime: {
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
    description: 'ISO 8601 without time zone, in UTC.',
  },
};
