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

async function generateGraphql() {
  const schema = await readFile(here('../../schema.graphql'), 'utf8');
  const operations = await readFile(here('operations.graphql'), 'utf8');
  return codegen({
    schema: parse(schema),
    schemaAst: buildSchema(schema),
    documents: [{ location: 'operations.graphql', document: parse(operations) }],
    filename: 'graphql.ts',
    config: { useTypeImports: true, scalars: { DateTime: 'string', Upload: 'never' } },
    plugins: [{ operationTypes: {} }, { typedDocumentNode: {} }],
    pluginMap: { operationTypes, typedDocumentNode },
  });
}
