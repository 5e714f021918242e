/** `npm run generate`: writes `openapi.json` and `schema.graphql` anew. */
import { writeFile } from 'node:fs/promises';
import { interfaceFiles, ROOT } from './files.js';

for (const [name, text] of Object.entries(interfaceFiles())) {
  await writeFile(new URL(name, ROOT), text);
  process.stdout.write(`Wrote ${name}.\n`);
}
