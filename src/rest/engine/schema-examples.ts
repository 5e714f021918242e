/** Example operations in the descriptions of the schema's root fields, with the values of the endpoints' example requests. */
import {
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
  OperationTypeNode,
  parse,
  print,
} from 'graphql';
import type { CompiledEndpoint } from './compile.js';
import { rootFieldOf } from './declaration.js';
import type { CompleteEndpoint } from './endpoint.js';
import { inParentheses } from './operation.js';
import { type RequestInput, readSource, valuesOf } from './source.js';

const MAX_SELECTED_FIELDS = 3;

/** The values of arguments that no endpoint has: those of connections. */
const CONNECTION_VALUES: Readonly<Record<string, unknown>> = {
  first: 10,
  id: '1',
  articleId: '1',
  commentId: '1',
  memberId: '1',
};

type Field = GraphQLField<unknown, unknown>;

/** Appends an example operation to the description of each root field that is not deprecated. */
export function addExamples(schema: GraphQLSchema, endpoints: readonly CompiledEndpoint[]): void {
  const byField = new Map<string, ExampleRequest>();
  for (const endpoint of endpoints) {
    const { value: name } = rootFieldOf(endpoint.operation).name;
    if (!byField.has(name)) byField.set(name, requestOf(endpoint));
  }
  for (const kind of Object.values(OperationTypeNode)) {
    for (const field of Object.values(schema.getRootType(kind)?.getFields() ?? {})) {
      if (field.deprecationReason) continue;
      const { definitions, given } = byField.get(field.name) ?? connectionRequestOf(field);
      const text = `${kind} ${inParentheses(definitions)} { ${field.name}${inParentheses(given)} ${selectionOf(field.type)} }`;
      field.description += `\n\nExample:\n\n\`\`\`graphql\n${print(parse(text))}\n\`\`\``;
    }
  }
}

/** Texts of the definitions of variables, and of arguments. */
interface ExampleRequest {
  definitions: readonly string[];
  given: readonly string[];
}

/** Variables with a value become literals; required files stay variables. */
function requestOf({ endpoint, operation, variables }: CompiledEndpoint): ExampleRequest {
  const input = inputOf(endpoint);
  const literals = new Map(
    variables.map(({ name, type, source }) => [name, literalOf(readSource(source, type, input, []), type)]),
  );
  const kept = (operation.variableDefinitions ?? []).filter(
    ({ type, variable }) => type.kind === Kind.NON_NULL_TYPE && !literals.get(variable.name.value),
  );
  for (const { variable } of kept) literals.set(variable.name.value, print(variable));
  const given = (rootFieldOf(operation).arguments ?? []).flatMap(({ name, value }) => {
    const text = value.kind === Kind.VARIABLE ? literals.get(value.name.value) : print(value);
    return text ? [`${name.value}: ${text}`] : [];
  });
  return { definitions: kept.map(print), given };
}

/** @param value in the format of JSON variables @returns undefined if there is no value */
function literalOf(value: unknown, type?: GraphQLInputType): string | undefined {
  const nullable = type && getNullableType(type);
  if (typeof value === 'string' && isEnumType(nullable)) return value;
  // The strings of JSON are strings of GraphQL.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const ofType = isListType(nullable) ? nullable.ofType : undefined;
    return `[${value.map((item) => literalOf(item, ofType)).join(' ')}]`;
  }
  const declared = isInputObjectType(nullable) ? nullable.getFields() : {};
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${literalOf(field, declared[name]?.type)}`);
  return `{${fields.join(' ')}}`;
}

/** The example request, as received by the service. */
function inputOf({ example, variables }: CompleteEndpoint): RequestInput {
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
  const given = Object.entries(CONNECTION_VALUES).filter(([name]) => args.some((declared) => declared.name === name));
  return { definitions: [], given: given.map(([name, value]) => `${name}: ${literalOf(value)}`) };
}

/** The first fields of each object. */
function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    ({ args, deprecationReason }) => !deprecationReason && !args.some(isRequiredArgument),
  );
  const selected = fields.slice(0, MAX_SELECTED_FIELDS).map((field) => `${field.name} ${selectionOf(field.type)}`);
  return `{ ${selected.join(' ')} }`;
}
