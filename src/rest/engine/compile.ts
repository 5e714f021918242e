/** Turns an endpoint's declaration into something that runs. Every mistake in a declaration stops the boot here. */
import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { CostEstimator } from '../../graphql/cost.js';
import { REST_SERIALIZERS } from '../../schema/scalars.js';
import { VERSION } from '../../version.js';
import {
  bindVariables,
  checkPath,
  checkResult,
  checkValidator,
  operationOf,
  rootFieldOf,
  type Variable,
} from './declaration.js';
import type { Endpoint } from './endpoint.js';
import { type Opening, openingOf } from './envelope.js';
import { checkExample } from './example.js';
import { valuesOf } from './source.js';

export interface CompiledEndpoint {
  endpoint: Endpoint;
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Variable[];
  rootArguments: readonly GraphQLArgument[];
  /** The root field's argument that each variable is given to. */
  argumentNames: ReadonlyMap<string, string>;
  /** The client's name for each argument and input field: what a validator complains about, as the client knows it. */
  clientNames: ReadonlyMap<string, string>;
  /** The fields that the JSON body may have. */
  bodyFields: readonly string[];
  query: CompiledQuery['query'];
  costs: CostEstimator;
  opening: Opening;
  /** Of what makes the shape of the answer. */
  digest: string;
}

/** @throws Error that names the endpoint and what is wrong with it. */
export function compileEndpoint(schema: GraphQLSchema, endpoint: Endpoint): CompiledEndpoint {
  try {
    const document = parse(endpoint.operation);
    const [invalid] = validate(schema, document);
    if (invalid) throw invalid;
    const operation = operationOf(document);
    const variables = bindVariables(schema, operation, endpoint);
    checkResult(operation, endpoint);
    checkPath(endpoint);
    checkValidator(endpoint);
    checkExample(endpoint);
    const argumentNames = nameArguments(operation);
    return {
      endpoint,
      schema,
      document,
      operation,
      variables,
      rootArguments: rootArgumentsOf(schema, operation),
      argumentNames,
      clientNames: nameForClients(argumentNames, variables),
      bodyFields: valuesIn(variables, 'field'),
      query: compile(schema, document),
      costs: new CostEstimator(schema, Number.POSITIVE_INFINITY),
      opening: openingOf(endpoint.message),
      digest: createHash('sha1').update(VERSION).update(endpoint.operation).digest('base64'),
    };
  } catch (cause) {
    throw new Error(`${endpoint.method} ${endpoint.path}: ${(cause as Error).message}`, { cause });
  }
}

function rootArgumentsOf(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly GraphQLArgument[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  return fields[rootFieldOf(operation).name.value]?.args ?? [];
}

function nameArguments(operation: OperationDefinitionNode): Map<string, string> {
  const given = (rootFieldOf(operation).arguments ?? []).flatMap(({ name, value }) =>
    value.kind === 'Variable' ? [[value.name.value, name.value] as const] : [],
  );
  return new Map(given);
}

function nameForClients(argumentNames: Map<string, string>, variables: Variable[]): Map<string, string> {
  return new Map(
    variables.flatMap(({ name, source }) =>
      source.place === 'object'
        ? Object.entries(source.fields).map(([field, value]) => [field, value.name] as const)
        : [[argumentNames.get(name) ?? name, source.name] as const],
    ),
  );
}

function valuesIn(variables: Variable[], place: string): string[] {
  return variables
    .flatMap(({ source }) => valuesOf(source))
    .flatMap((value) => (value.place === place ? [value.name] : []));
}

/** Rows hold what the schema says, so only moments need a form of their own: ids stay the numbers they are. */
function compile(schema: GraphQLSchema, document: DocumentNode): CompiledQuery['query'] {
  const compiled = compileQuery(schema, document, undefined, {
    disableLeafSerialization: true,
    customSerializers: REST_SERIALIZERS,
  });
  if (!isCompiledQuery(compiled)) throw new GraphQLError(String(compiled.errors?.[0]?.message));
  return compiled.query;
}
