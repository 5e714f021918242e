/** The OpenAPI 3.1 document, derived from the endpoints, the schema and the inputs' validators. */
import type { GraphQLSchema } from 'graphql';
import { SCOPE_NAMES } from '../../models/session/api-token.js';
import { firstUnmet } from '../../services/auth/api-token.js';
import type { CompiledEndpoint } from '../engine/compile.js';
import { GROUPS } from '../engine/endpoint.js';
import { HEADER_COMPONENTS, PARAMETER_COMPONENTS } from './headers.js';
import { describeInputs } from './inputs.js';
import type { Json } from './json-schema.js';
import { describeErrors, describePending, describeSuccess, describeUnchanged, FIELD_ERROR } from './responses.js';

/** Components referenced by the operations, filled while the operations are generated. */
interface Shared {
  schemas: Json;
  responses: Json;
}

const INFO: Json = {
  title: 'Daybook',
  description:
    'Every JSON response is an envelope of `code`, `message` and `data`; `code` is "1" on success. Times are ISO ' +
    '8601 without a time zone, in UTC.',
  license: { name: 'MIT', identifier: 'MIT' },
};

const API_TOKEN: Json = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API token of the member, `dbk_…`, instead of an access token. It needs one of the scopes that the operation names; public operations ' +
    'need none. An operation that does not name this scheme is not available to API tokens.',
};

const BEARER: Json = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'The access token from a login: a JWT, validated as RFC8725 requires. One algorithm is accepted; the type in the ' +
    'header, issuer, audience and times must be valid, and its session must not have ended.',
};

/** @param version of the application; @param pageBase number of the first page: 0 or 1 */
export function describeApi(
  schema: GraphQLSchema,
  compiled: readonly CompiledEndpoint[],
  version: string,
  pageBase: number,
): Json {
  const shared: Shared = { schemas: { FieldError: FIELD_ERROR }, responses: {} };
  const paths: Record<string, Json> = {};
  for (const compiledEndpoint of compiled) {
    const { method, path: route } = compiledEndpoint.endpoint;
    const path = `/api${route}`;
    const operation = describeEndpoint(schema, compiledEndpoint, shared, pageBase);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: { ...INFO, version },
    servers: [{ url: '/', description: 'The server of this document: local or production.', 'x-internal': false }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(shared.schemas),
      responses: sorted(shared.responses),
      parameters: PARAMETER_COMPONENTS,
      headers: HEADER_COMPONENTS,
      securitySchemes: { bearer: BEARER, apiToken: API_TOKEN },
    },
  };
}

function describeEndpoint(schema: GraphQLSchema, compiled: CompiledEndpoint, shared: Shared, pageBase: number): Json {
  const { endpoint } = compiled;
  return {
    operationId: operationId(compiled),
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [endpoint.group],
    security: endpoint.auth === 'bearer' ? [{ bearer: [] }, ...describeScopes(compiled)] : [],
    ...describeInputs(compiled, pageBase),
    responses: {
      [endpoint.status]: describeSuccess(schema, compiled, shared.schemas),
      ...describePending(compiled),
      ...describeUnchanged(compiled),
      ...describeErrors(compiled, shared.responses),
    },
  };
}

/** One alternative for each scope that is sufficient. Nothing for an operation that needs several, or that API tokens may not call. */
function describeScopes({ scopeNeeds }: CompiledEndpoint): Json[] {
  return SCOPE_NAMES.filter((scope) => !firstUnmet(new Set([scope]), scopeNeeds)).map((scope) => ({
    apiToken: [scope],
  }));
}

/** The response name (alias or name) of the root field, which is unique among the endpoints. */
function operationId({ endpoint, operation }: CompiledEndpoint): string {
  const [root] = operation.selectionSet.selections;
  return root?.kind === 'Field' ? (root.alias ?? root.name).value : endpoint.path;
}

function sorted(named: Json): Json {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}
