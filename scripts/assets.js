/**
 * Copies the files of Swagger UI and GraphiQL to `dist/assets`. Their packages are needed for the build only: they bring others, an install
 * script that reports to its vendor, and 30 MB that no page uses.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';

/** @param folder with a slash at the end */
export function copyAssets(folder) {
  const swagger = `${folder}swagger-ui/`;
  mkdirSync(swagger, { recursive: true });
  for (const name of [
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'LICENSE',
    'NOTICE',
  ])
    copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), swagger + name);

  const explorer = `${folder}graphiql/`;
  mkdirSync(explorer, { recursive: true });
  const files = {
    'graphiql.css': graphiql.css,
    'graphiql.js': graphiql.js,
    'editor.worker.js': graphiql.editorWorkerService,
    'graphql.worker.js': graphiql.graphqlWorker,
    'json.worker.js': graphiql.jsonWorker,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(explorer + name, text);
  const root = dirname(dirname(fileURLToPath(import.meta.resolve('@graphql-yoga/render-graphiql'))));
  copyFileSync(`${root}/LICENSE`, `${explorer}LICENSE`);
}
