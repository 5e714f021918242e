/** Generated files of the repository: API descriptions, scopes, settings and limits, readable and diffable without running the service. */
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
// Load all modules that declare a limit.
import '../../app.js';
import '../../jobs/tasks.js';
import '../../services/index.js';
import '../../import/load.js';
import { schemaText } from '../../graphql/schema.js';
import { VERSION } from '../../platform/version.js';
import { compileApi } from '../../rest/api.js';
import { describeApi } from '../../rest/openapi/index.js';
import { describeApiTokenScopes } from './api-token-scopes.js';
import { describeConfiguration } from './configuration.js';
import { describeErrorKeys } from './errors.js';
import { describeLimits } from './limits.js';

/** @returns the text of each file by its path from the root; deterministic for the same code. */
export function generatedFiles(): Record<string, string> {
  const { schema, endpoints } = compileApi();
  return {
    'docs/api-token-scopes.md': describeApiTokenScopes(schema, endpoints),
    'docs/configuration.md': describeConfiguration(),
    'docs/errors.md': describeErrorKeys(endpoints),
    'docs/limits.md': describeLimits(readFileSync(new URL('docs/limits.md', ROOT), 'utf8')),
    'openapi.json': `${JSON.stringify(describeApi(schema, endpoints, VERSION, 1), undefined, 2)}\n`,
    'schema.graphql': schemaText(schema),
  };
}

/** URL of the repository root. The compiled file is four folders below it: dist/src/cli/generate. */
export const ROOT = new URL('../../../../', import.meta.url);
