/** Builds the example of a schema in the OpenAPI document from the examples of the components that it references. */
import type { Json } from './json.js';

/** @throws Error for a value that neither has an example, nor is composed of such values */
export function exampleOf(schema: Json, components: Json): unknown {
  const { $ref, type, items, properties, examples } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (typeof $ref === 'string') {
    const shape = components[$ref.split('/').at(-1) ?? ''] as { examples?: unknown[] } | undefined;
    if (shape?.examples) return shape.examples[0];
  }
  if (type === 'array') return [exampleOf(items as Json, components)];
  if (type !== 'object') throw new Error(`there is no example for ${JSON.stringify(schema)}: make it a shape`);
  const entries = Object.entries((properties ?? {}) as Record<string, Json>);
  return Object.fromEntries(entries.map(([name, property]) => [name, exampleOf(property, components)]));
}
