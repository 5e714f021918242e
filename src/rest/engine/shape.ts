/** Shapes: GraphQL fragments that name and describe the types of REST responses. */

interface Shape {
  /** Its name becomes that of the schema in the API reference, and its aliases rename fields. */
  readonly fragment: string;
  readonly description: string;
  /** A field that the example lacks is completed from its own one (`@Extensions({ example })` in the schema) or that of its shape. */
  readonly example: Readonly<Record<string, unknown>>;
}

const shapes = new Map<string, Shape>();

/** @returns the fragment, for operations. @throws Error if another shape has the same name */
export function shape(declared: Shape): string {
  const name = nameOfShape(declared.fragment);
  if (name === '' || shapes.has(name)) throw new Error(`expected another name of the shape ${declared.fragment}`);
  shapes.set(name, declared);
  return declared.fragment;
}

/** A shape with the fields of its example. @param type that of GraphQL, if it has another name */
export function plainShape(name: string, description: string, example: Shape['example'], type = name): string {
  return shape({ fragment: `fragment ${name} on ${type} { ${Object.keys(example).join(' ')} }`, description, example });
}

/** @param fragment as `shape` returns it */
export function nameOfShape(fragment: string): string {
  return /^fragment (\w+) on /.exec(fragment)?.[1] ?? '';
}

/** @throws Error for a fragment that is not declared as a shape */
export function shapeNamed(name: string): Shape {
  const declared = shapes.get(name);
  if (!declared) throw new Error(`the fragment ${name} is not declared as a shape`);
  return declared;
}
