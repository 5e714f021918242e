/** The schema and the compiled endpoints, which hold nothing of an application: one instance for all applications of a process. */
import type { GraphQLSchema } from 'graphql';
import { buildSchema } from '../graphql/schema.js';
import { endpoints } from './endpoints/index.js';
import { type CompiledEndpoint, compileEndpoint } from './engine/compile.js';
import { addExamples } from './engine/schema-examples.js';

export interface Api {
  readonly schema: GraphQLSchema;
  readonly endpoints: readonly CompiledEndpoint[];
}

let api: Api | undefined;

/** @throws Error if the declaration of an endpoint does not match the schema */
export function compileApi(): Api {
  api ??= compileEndpoints();
  return api;
}

function compileEndpoints(): Api {
  const schema = buildSchema();
  const compiled = endpoints.map((endpoint) => compileEndpoint(schema, endpoint));
  addExamples(schema, compiled);
  return { schema, endpoints: compiled };
}
