/** JSON Schemas of the GraphQL scalars in their REST format. */
import type { Json } from './json.js';

const LARGEST_INT = 2_147_483_647;

/** The maximum is the largest integer that a JSON number represents exactly; no row has a larger id. */
const ID: Json = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** A non-negative 32-bit integer; each input adds its own bounds. */
export const COUNT: Json = { type: 'integer', format: 'int32', minimum: 0, maximum: LARGEST_INT };

/** A request header: tabs and printable ASCII, at most the size that Node.js accepts for all headers together (16 KiB). */
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
