/** JSON Schemas that every part of the OpenAPI document uses: scalars, the envelope, and examples. */

export type Json = { [key: string]: unknown };

const MAX_INT = 2_147_483_647;

/** The maximum is the largest integer that a JSON number represents exactly; no row has a larger id. */
const ID: Json = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** A non-negative 32-bit integer; each input adds its own bounds. */
export const COUNT: Json = { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_INT };

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

/** @throws Error for a value that neither has an example, nor is composed of such values */
export function exampleOf(schema: Json, components: Json): unknown {
  const { $ref, type, items, properties, examples } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (typeof $ref === 'string') {
    const shape = components[$ref.split('/').at(-1) ?? ''] as { examples?: unknown[] } | undefined;
    if (shape?.examples) return shape.examples[0];
  }
  if (type === 'array') return [exampleOf(items as Json, components)];
  if (type !== 'object') throw new Error(`no example for ${JSON.stringify(schema)}: declare it as a shape`);
  const entries = Object.entries((properties ?? {}) as Record<string, Json>);
  return Object.fromEntries(entries.map(([name, property]) => [name, exampleOf(property, components)]));
}
