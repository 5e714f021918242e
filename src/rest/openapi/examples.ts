/** Builds the example of a schema in the OpenAPI document from the examples of the components that it references. */
import type { Json } from './json.js';

/** @throws Error for a value that is neither a component with an example nor composed of such components */
export function exampleOf(schema: Json, components: Json): unknown {
  const { $ref, type, items, properties } = schema;
  if (typeof $ref === 'string') {
    const shape = components[$ref.split('/').at(-1) ?? ''] as { examples?: unknown[] } | undefined;
    if (shape?.examples) return shape.examples[0];
  }
  if (type === 'array') return [exampleOf(items as Json, components)];
  if (type !== 'object') throw new Error(`no example for ${JSON.stringify(schema)}: declare it as a shape`);
  const entries = Object.entries((properties ?? {}) as Record<string, Json>);
  return Object.fromEntries(entries.map(([name, property]) => [name, exampleOf(property, components)]));
}
