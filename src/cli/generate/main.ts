/** `npm run generate`: rewrites `openapi.json`, `schema.graphql` and the generated pages of `docs/`. */
import { writeFile } from 'node:fs/promises';
import { generatedFiles, ROOT } from './files.js';

for (const [name, text] of Object.entries(generatedFiles())) {
  await writeFile(new URL(name, ROOT), text);
  process.stdout.write(`Wrote ${name}.\n`);
}
