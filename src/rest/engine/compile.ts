/** Compiles an endpoint's declaration to an executable query. An invalid declaration throws, which aborts the startup. */
import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Executable } from '../../execute.js';
import { CostEstimator } from '../../graphql/cost.js';
import { analyzeOperation, type OperationAnalysis } from '../../graphql/operation-analysis.js';
import { stampsWith } from '../../graphql/operation-stamps.js';
import { type SelectedField, selectedFields } from '../../graphql/selected-fields.js';
import { VERSION } from '../../platform/version.js';
import { REST_SERIALIZERS } from '../../schema/scalars.js';
import type { ScopeNeed } from '../../services/auth/api-token.js';
import { completeEndpoint } from './complete.js';
import { bindVariables, checkPath, operationOf, type Variable } from './declaration.js';
import type { CompleteEndpoint, Endpoint } from './endpoint.js';
import { type EnvelopePrefix, envelopePrefix } from './envelope.js';
import { checkExample } from './example.js';
import { operationText } from './operation.js';
import { valuesOf } from './source.js';

/** Its `stamps` are null unless it is a public read. */
export interface CompiledEndpoint extends OperationAnalysis, Executable {
  endpoint: CompleteEndpoint;
  schema: GraphQLSchema;
  document: DocumentNode;
  variables: Variable[];
  /** Maps each variable to the argument that it is passed to, of the root field or of a field in it. */
  arguments: ReadonlyMap<string, GraphQLArgument>;
  /** Whether a variable is passed to a field in the root field, which would validate it only after the root field has been executed. */
  hasNestedArguments: boolean;
  /** Maps each argument and input field to its name in the request, for the `field` of validation errors. */
  clientNames: ReadonlyMap<string, string>;
  /** The names of the fields allowed in the JSON body. */
  bodyFields: readonly string[];
  /** The names of the query parameters. */
  queryNames: readonly string[];
  prefix: EnvelopePrefix;
  /** That of the response 202 for a root field that is null without an error. */
  pendingPrefix: EnvelopePrefix | null;
  /** SHA-1 (base64) of the application version and the operation, which determine the response's shape; part of the ETag. */
  digest: string;
}

/** @throws Error with the method, the path and the mistake in the declaration */
export function compileEndpoint(schema: GraphQLSchema, declared: Endpoint): CompiledEndpoint {
  try {
    const text = operationText(schema, declared);
    const document = parse(text);
    const [invalid] = validate(schema, document);
    if (invalid) throw invalid;
    const operation = operationOf(document);
    const analysis = analyzeOperation(schema, document, operation);
    if (analysis.misplaced) throw new Error(`${analysis.misplaced.field} may not stand here`);
    const variables = bindVariables(schema, operation, declared);
    const endpoint = completeEndpoint(schema, document, variables, declared);
    checkPath(endpoint);
    checkExample(endpoint);
    const { roots, nested } = selectedFields(schema, document, operation);
    const nestedArguments = argumentsOf(nested);
    const usedArguments = new Map([...argumentsOf(roots), ...nestedArguments]);
    return {
      ...analysis,
      endpoint,
      schema,
      document,
      variables,
      arguments: usedArguments,
      hasNestedArguments: nestedArguments.size > 0,
      clientNames: nameForClients(usedArguments, variables),
      bodyFields: valuesIn(variables, 'field'),
      queryNames: valuesIn(variables, 'query'),
      scopeNeeds: scopeNeedsOf(analysis, endpoint),
      stamps: endpoint.isPublicRead ? requireStamps(analysis) : null,
      api: 'rest',
      run: compileEndpointQuery(schema, document),
      costOf: new CostEstimator(schema, Number.POSITIVE_INFINITY).costsOf(document, operation),
      prefix: envelopePrefix(endpoint.message),
      pendingPrefix: endpoint.pendingMessage ? envelopePrefix(endpoint.pendingMessage) : null,
      digest: createHash('sha1').update(VERSION).update(text).digest('base64'),
    };
  } catch (cause) {
    throw new Error(`${declared.method} ${declared.path}: ${(cause as Error).message}`, { cause });
  }
}

function requireStamps({ stamps }: OperationAnalysis) {
  if (!stampsWith(stamps, {}))
    throw new Error('a field of this public resource is not covered by a stamp (schema/stamped.ts)');
  return stamps;
}

/** A download is more than its operation, whose declaration does not apply to it. */
function scopeNeedsOf({ scopeNeeds }: OperationAnalysis, { result }: CompleteEndpoint): ScopeNeed[] {
  return result.kind === 'download' ? [{ field: result.name, anyOf: null }] : scopeNeeds;
}

/** The arguments of these fields whose value is a variable, by its name. */
function argumentsOf(fields: readonly SelectedField[]): Map<string, GraphQLArgument> {
  const found = new Map<string, GraphQLArgument>();
  for (const { node, field } of fields) {
    for (const { name, value } of node.arguments ?? []) {
      const argument = field.args.find((one) => one.name === name.value);
      if (argument && value.kind === Kind.VARIABLE) found.set(value.name.value, argument);
    }
  }
  return found;
}

function nameForClients(usedArguments: Map<string, GraphQLArgument>, variables: Variable[]): Map<string, string> {
  return new Map(
    variables.flatMap(({ name, source }) =>
      source.in === 'object'
        ? Object.entries(source.fields).map(([field, value]) => [field, value.name] as const)
        : [[usedArguments.get(name)?.name ?? name, source.name] as const],
    ),
  );
}

function valuesIn(variables: Variable[], location: string): string[] {
  return variables
    .flatMap(({ source }) => valuesOf(source))
    .flatMap((value) => (value.in === location ? [value.name] : []));
}

/** Compiled at the first request: for all endpoints it takes 0.3 s, which would delay the start. */
function compileEndpointQuery(schema: GraphQLSchema, document: DocumentNode): Executable['run'] {
  let query: Executable['run'] | undefined;
  return (...parameters) => {
    query ??= compileNow(schema, document);
    return query(...parameters);
  };
}

/** Leaf serialization is disabled: rows already hold values of the schema's types. Only DateTime is serialized; ids stay numbers. */
function compileNow(schema: GraphQLSchema, document: DocumentNode): Executable['run'] {
  const compiled = compileQuery(schema, document, undefined, {
    disableLeafSerialization: true,
    customSerializers: REST_SERIALIZERS,
  });
  if (!isCompiledQuery(compiled)) throw new GraphQLError(String(compiled.errors?.[0]?.message));
  return compiled.query as Executable['run'];
}
