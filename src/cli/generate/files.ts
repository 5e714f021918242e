/** The interface and the settings as files of the repository, for whoever wants to read them, or a diff of them, without running it. */
import 'reflect-metadata';
import { lexicographicSortSchema, printSchema } from 'graphql';
// All modules that declare a limit.
import '../../app.js';
import { buildSchema } from '../../graphql/schema.js';
import { endpoints } from '../../rest/endpoints/index.js';
import { compileEndpoint } from '../../rest/engine/compile.js';
import { describeApi } from '../../rest/openapi/index.js';
import { VERSION } from '../../version.js';
import { describeCommands } from './command-line.js';
import { describeConfiguration } from './configuration.js';
import { describeLimits } from './limits.js';

/** @returns the text of each file, by its path from the root; the same for the same code. */
export function generatedFiles(): Record<string, string> {
  const schema = buildSchema();
  const compiled = endpoints.map((endpoint) => compileEndpoint(schema, endpoint));
  return {
    'docs/command-line.md': describeCommands(),
    'docs/configuration.md': describeConfiguration(),
    'docs/limits.md': describeLimits(),
    'openapi.json': `${JSON.stringify(describeApi(schema, compiled, VERSION, 1), undefined, 2)}\n`,
    'schema.graphql': `${printSchema(lexicographicSortSchema(schema))}\n`,
  };
}

/** The root of the repository. Compiled, this file is three folders below it: dist/src/cli/generate. */
export const ROOT = new URL('../../../../', import.meta.url);
