/** Derives the JSON Schema of a response from the selection of the endpoint's operation and the types of the GraphQL schema. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import type { CompiledEndpoint } from '../engine/compile.js';
import { rootFieldOf } from '../engine/declaration.js';
import { shapeNamed } from '../engine/shape.js';
import { exampleOf, type Json, SCALARS } from './json-schema.js';

interface SelectionContext {
  schema: GraphQLSchema;
  fragments: Map<string, FragmentDefinitionNode>;
  /** Filled with a schema for each fragment that is the only selection of an object. */
  components: Json;
}

export function describeSelection(
  schema: GraphQLSchema,
  { document, operation }: CompiledEndpoint,
  components: Json,
): Json {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === 'FragmentDefinition' ? [[node.name.value, node] as const] : [],
    ),
  );
  const rootType = schema.getRootType(operation.operation);
  const node = rootFieldOf(operation);
  const field = rootType?.getFields()[node.name.value];
  if (!field) throw new GraphQLError(`no field ${node.name.value}`, { nodes: node });
  // A null root field has an error, to which REST responds instead.
  const present = describePresent({ schema, fragments, components }, getNullableType(field.type), node.selectionSet);
  return narrowed(present, field.extensions);
}

/** The schema with what the field declares (`response-limits.ts`): a schema, or a function that returns it. */
function narrowed(described: Json, { jsonSchema = {} }: Readonly<Json>): Json {
  const { items, ...declared } = (typeof jsonSchema === 'function' ? jsonSchema() : jsonSchema) as Json;
  return {
    ...described,
    ...declared,
    ...(items ? { items: { ...(described.items as Json), ...(items as Json) } } : {}),
  };
}

function describeType(
  context: SelectionContext,
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
): Json {
  if (isNonNullType(type)) return describePresent(context, type.ofType, selections);
  const present = describePresent(context, type, selections);
  return typeof present.type === 'string'
    ? {
        ...present,
        type: [present.type, 'null'],
        ...(Array.isArray(present.enum) && { enum: [...present.enum, null] }),
      }
    : { anyOf: [present, { type: 'null' }] };
}

function describePresent(
  context: SelectionContext,
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
): Json {
  if (isListType(type)) return { type: 'array', items: describeType(context, type.ofType, selections) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ value }) => value) };
  if (isObjectType(type) && selections) return describeObject(context, type, selections);
  const scalar = SCALARS[getNamedType(type).name];
  if (!scalar) throw new Error(`REST has no schema for the scalar ${type}`);
  return scalar;
}

/** A fragment that is the only selection of an object becomes a component with the name of the fragment. */
function describeObject(context: SelectionContext, type: GraphQLObjectType, { selections }: SelectionSetNode): Json {
  const [only] = selections;
  if (selections.length !== 1 || only?.kind !== 'FragmentSpread') {
    return { ...describeFields(context, type, selections), description: type.description };
  }
  const name = only.name.value;
  const fragment = context.fragments.get(name);
  if (!fragment) throw new Error(`unknown fragment ${name}`);
  context.components[name] ??= describeShape(
    context,
    name,
    describeFields(context, type, fragment.selectionSet.selections),
  );
  return { $ref: `#/components/schemas/${name}` };
}

function describeShape({ components }: SelectionContext, name: string, shape: Json): Json {
  const { description, example } = shapeNamed(name);
  const missing = Object.entries(shape.properties as Record<string, Json>).filter(([field]) => !(field in example));
  const completed = Object.fromEntries(missing.map(([field, property]) => [field, exampleOf(property, components)]));
  return { ...shape, description, examples: [{ ...example, ...completed }] };
}

function describeFields(
  context: SelectionContext,
  type: GraphQLObjectType,
  selections: SelectionSetNode['selections'],
): Json {
  const nodes = selections.filter((node): node is FieldNode => node.kind === 'Field');
  if (nodes.length < selections.length) throw new Error(`a selection on ${type} mixes fields and fragments`);
  // A field with a directive (`@include`) may be absent.
  const properties = nodes.map(
    (node) => [node.alias?.value ?? node.name.value, describeField(context, type, node)] as const,
  );
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: nodes.filter(({ directives }) => !directives?.length).map(({ alias, name }) => (alias ?? name).value),
    additionalProperties: false,
  };
}

function describeField(context: SelectionContext, type: GraphQLObjectType, node: FieldNode): Json {
  const field = type.getFields()[node.name.value];
  if (!field) throw new Error(`unknown field ${type}.${node.name.value}`);
  const { description, extensions } = field;
  return {
    ...narrowed(describeType(context, field.type, node.selectionSet), extensions),
    ...(description && { description }),
    ...('example' in extensions && { examples: [extensions.example] }),
  };
}
