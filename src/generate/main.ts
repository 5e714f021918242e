/** `npm run generate`: writes `openapi.json`, `schema.graphql`, `docs/command-line.md` and `docs/configuration.md` anew. */
import { writeFile } from 'node:fs/promises';
import { generatedFiles, ROOT } from './files.js';

for (const [name, text] of Object.entries(generatedFiles())) {
  await writeFile(new URL(name, ROOT), text);
  process.stdout.write(`Wrote ${name}.\n`);
}
