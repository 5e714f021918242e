/** The short forms of responses: selections of their data and of the schemas of the data. */
import { isDeepStrictEqual } from 'node:util';
import { Kind, parse, type SelectionSetNode } from 'graphql';
import type { Json } from '../rest/openapi/json-schema.js';

/** One field of the data, and what is selected in it. */
interface Selected {
  readonly name: string;
  readonly alias: string;
  readonly selection: Selection;
}

/** Empty for a value without fields. */
export type Selection = readonly Selected[];

/** @param text fields as in GraphQL, with aliases and without arguments. @throws Error */
export function parseSelection(text: string): Selection {
  const [operation] = parse(`{ ${text} }`, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('expected a selection');
  return fieldsOf(operation.selectionSet);
}

function fieldsOf(set: SelectionSetNode | undefined): Selection {
  return (set?.selections ?? []).map((node) => {
    if (node.kind !== Kind.FIELD) throw new Error('expected fields only');
    const { value: name } = node.name;
    return { name, alias: node.alias?.value ?? name, selection: fieldsOf(node.selectionSet) };
  });
}

export function selectData(selection: Selection, data: unknown): unknown {
  if (selection.length === 0 || data === null || data === undefined) return data;
  if (Array.isArray(data)) return data.map((item) => selectData(selection, item));
  const fields = data as Readonly<Record<string, unknown>>;
  const selected = selection.map((one) => [one.alias, selectData(one.selection, fields[one.name])] as const);
  return Object.fromEntries(selected.filter(([, value]) => value !== undefined));
}

/** What of a schema is of use to a program that reads the data. */
const KEPT = ['type', 'enum'];

/** @param components that `$ref` refers to. @throws Error for a field that the data does not have */
export function selectSchema(selection: Selection, schema: Json, components: Json): Json {
  const { $ref, anyOf, items, properties } = schema;
  if (typeof $ref === 'string')
    return selectSchema(selection, components[$ref.split('/').at(-1) ?? ''] as Json, components);
  if (Array.isArray(anyOf)) return { anyOf: anyOf.map((one) => selectSchema(selection, one as Json, components)) };
  const kept = Object.fromEntries(KEPT.filter((name) => name in schema).map((name) => [name, schema[name]]));
  if (items !== undefined) return { ...kept, items: selectSchema(selection, items as Json, components) };
  if (selection.length === 0) {
    if (properties !== undefined) throw new Error('expected a selection in an object');
    return kept;
  }
  const required = schema.required as readonly string[];
  return {
    ...kept,
    properties: Object.fromEntries(
      selection.map(({ name, alias, selection: inner }) => {
        const property = (properties as Record<string, Json> | undefined)?.[name];
        if (!property) throw new Error(`the data has no field ${name}`);
        return [alias, selectSchema(inner, property, components)];
      }),
    ),
    required: selection.filter(({ name }) => required.includes(name)).map(({ alias }) => alias),
  };
}

/** The schema of an object that has one of these: each property with all of its schemas, of which those are required that each of them requires. */
export function unionOf(schemas: readonly Json[]): Json {
  const required = schemas.map((schema) => schema.required as readonly string[]);
  const properties: Record<string, Json[]> = {};
  for (const [name, property] of schemas.flatMap((schema) => Object.entries(schema.properties as Json))) {
    properties[name] ??= [];
    const known = properties[name];
    if (!known.some((one) => isDeepStrictEqual(one, property))) known.push(property as Json);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, [first, ...more]]) => [
        name,
        more.length ? { anyOf: [first, ...more] } : first,
      ]),
    ),
    required: required[0]?.filter((name) => required.every((names) => names.includes(name))) ?? [],
  };
}
