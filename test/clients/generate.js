/** Generates types from both documents, as a user's build would: `node generate.js` writes the folder `generated`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';
import openapi, { astToString } from 'openapi-typescript';

const here = (path) => new URL(path, import.meta.url);

await mkdir(here('generated/'), { recursive: true });
await writeFile(here('generated/openapi.ts'), astToString(await openapi(here('../../openapi.json'))));
await writeFile(here('generated/graphql.ts'), await generateGraphql());

/** With the configuration of docs/clients.md. */
async function generateGraphql() {
  const document = await readFile(here('../../docs/clients.md'), 'utf8');
  const [, configuration] = /^```json codegen\.json\n(.*?)^```$/ms.exec(document);
  const { generates, documents } = JSON.parse(configuration);
  const [[filename, { plugins, config }]] = Object.entries(generates);
  const schema = await readFile(here('../../schema.graphql'), 'utf8');
  return codegen({
    schema: parse(schema),
    schemaAst: buildSchema(schema),
    documents: [{ location: documents, document: parse(await readFile(here(documents), 'utf8')) }],
    filename,
    config,
    plugins: plugins.map((name) => ({ [name]: {} })),
    pluginMap: { 'typescript-operations': operationTypes, 'typed-document-node': typedDocumentNode },
  });
}
