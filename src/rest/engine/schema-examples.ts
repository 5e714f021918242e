/** Example operations in the descriptions of the schema's root fields, with the values of the endpoints' example requests. */
import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { bindVariables, operationOf, rootFieldOf } from './declaration.js';
import type { Endpoint } from './endpoint.js';
import { type RequestInput, readSource, valuesOf } from './source.js';

const MAX_SELECTED_FIELDS = 3;

/** The values of arguments that no endpoint has: those of connections. */
const CONNECTION_VALUES: Readonly<Record<string, unknown>> = { first: 10, articleId: '1', commentId: '1' };

type Field = GraphQLField<unknown, unknown>;

/** Appends an example operation to the description of each root field that is not deprecated. */
export function addExamples(schema: GraphQLSchema, endpoints: readonly Endpoint[]): void {
  const operations = endpoints.map((endpoint) => ({ endpoint, operation: operationOf(parse(endpoint.operation)) }));
  for (const kind of Object.values(OperationTypeNode)) {
    for (const field of Object.values(schema.getRootType(kind)?.getFields() ?? {})) {
      if (field.deprecationReason) continue;
      const found = operations.find(({ operation }) => rootFieldOf(operation).name.value === field.name);
      const example = found ? requestOf(schema, found.operation, found.endpoint) : connectionRequestOf(field);
      const text = print(operationFor(kind, field, example));
      field.description += `\n\nExample:\n\n\`\`\`graphql\n${text}\n\`\`\``;
    }
  }
}

interface ExampleRequest {
  definitions: readonly VariableDefinitionNode[];
  arguments: readonly ArgumentNode[];
}

/** Variables with a value become literals; required files stay variables. */
function requestOf(schema: GraphQLSchema, operation: OperationDefinitionNode, endpoint: Endpoint): ExampleRequest {
  const literals = new Map<string, ValueNode | undefined>();
  const input = inputOf(endpoint);
  for (const { name, type, source } of bindVariables(schema, operation, endpoint)) {
    literals.set(name, literalOf(readSource(source, type, input, []), type));
  }
  const definitions = (operation.variableDefinitions ?? []).filter(
    ({ type, variable }) => type.kind === Kind.NON_NULL_TYPE && !literals.get(variable.name.value),
  );
  const kept = definitions.map(({ variable }) => variable.name.value);
  const given = (rootFieldOf(operation).arguments ?? []).flatMap((node) => {
    if (node.value.kind !== Kind.VARIABLE || kept.includes(node.value.name.value)) return [node];
    const value = literals.get(node.value.name.value);
    return value ? [{ ...node, value }] : [];
  });
  return { definitions, arguments: given };
}

/** @param value in the format of JSON variables @returns undefined if there is no value */
function literalOf(value: unknown, type?: GraphQLInputType): ValueNode | undefined {
  const nullable = type && getNullableType(type);
  if (value === undefined) return undefined;
  if (typeof value === 'number') return { kind: Kind.INT, value: String(value) };
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value };
  if (typeof value === 'string') return { kind: isEnumType(nullable) ? Kind.ENUM : Kind.STRING, value };
  if (Array.isArray(value)) {
    const ofType = isListType(nullable) ? nullable.ofType : undefined;
    return { kind: Kind.LIST, values: value.flatMap((item) => literalOf(item, ofType) ?? []) };
  }
  const declared = isInputObjectType(nullable) ? nullable.getFields() : {};
  const fields = Object.entries(value ?? {}).flatMap(([name, field]) => {
    const literal = literalOf(field, declared[name]?.type);
    return literal ? [{ kind: Kind.OBJECT_FIELD, name: nameNode(name), value: literal } as const] : [];
  });
  return { kind: Kind.OBJECT, fields };
}

/** The example request, as received by the service. */
function inputOf({ example, variables }: Endpoint): RequestInput {
  const at = (location: string) =>
    Object.values(variables)
      .flatMap(valuesOf)
      .filter((source) => source.in === location && source.name in example)
      .map(({ name }) => [name, example[name]] as const);
  const texts = (location: string) => at(location).map(([name, value]) => [name, String(value)] as [string, string]);
  return {
    params: Object.fromEntries(texts('path')),
    query: new URLSearchParams(texts('query')),
    headers: Object.fromEntries(texts('header').map(([name, value]) => [name.toLowerCase(), value])),
    fields: Object.fromEntries(at('field')),
    file: undefined,
    hasBody: true,
    pageBase: 1,
  };
}

function connectionRequestOf({ args }: Field): ExampleRequest {
  const given = args.flatMap((argument): ArgumentNode[] => {
    const value = literalOf(CONNECTION_VALUES[argument.name], argument.type);
    return value ? [{ kind: Kind.ARGUMENT, name: nameNode(argument.name), value }] : [];
  });
  return { definitions: [], arguments: given };
}

function operationFor(kind: OperationTypeNode, { name, type }: Field, request: ExampleRequest) {
  const field = fieldNode(name, selectionOf(type), request.arguments);
  return {
    kind: Kind.OPERATION_DEFINITION,
    operation: kind,
    variableDefinitions: request.definitions,
    selectionSet: { kind: Kind.SELECTION_SET, selections: [field] },
  } satisfies OperationDefinitionNode;
}

/** The first fields of each object. */
function selectionOf(type: GraphQLOutputType): SelectionSetNode | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  const fields = Object.values(named.getFields()).filter(
    ({ args, deprecationReason }) => !deprecationReason && !args.some(isRequiredArgument),
  );
  const selections = fields
    .slice(0, MAX_SELECTED_FIELDS)
    .map((field) => fieldNode(field.name, selectionOf(field.type), []));
  return { kind: Kind.SELECTION_SET, selections };
}

function fieldNode(
  name: string,
  selectionSet: SelectionSetNode | undefined,
  given: readonly ArgumentNode[],
): FieldNode {
  return { kind: Kind.FIELD, name: nameNode(name), arguments: given, selectionSet };
}

function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value };
}
