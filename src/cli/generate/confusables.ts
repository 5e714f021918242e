/**
 * `node dist/src/cli/generate/confusables.js FILE`: writes src/platform/display-name/confusables.ts from the Unicode Consortium's confusables.txt
 * (https://www.unicode.org/Public/security/). Run by hand for a new version of Unicode.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { ROOT } from './files.js';

const [, , file = 'confusables.txt'] = process.argv;
const text = await readFile(file, 'utf8');
const version = /Unicode (\d+\.\d+\.\d+)|^# Version: (\S+)/m.exec(text)?.slice(1).find(Boolean);
if (version === undefined) throw new Error(`${file} does not contain its Unicode version.`);

/** Code points by prototype, in file order. Characters that NFD decomposes are left out, since they are never looked up. */
const sources = new Map<string, string[]>();
for (const [, source = '', prototype = ''] of text.matchAll(/^([0-9A-F]{4,6}) ;\t([0-9A-F ]+?) ?;\tMA\t/gm)) {
  const character = String.fromCodePoint(Number.parseInt(source, 16));
  if (character.normalize('NFD') !== character) continue;
  sources.set(prototype, [...(sources.get(prototype) ?? []), source]);
}
const entries = [...sources].map(([prototype, all]) => `${prototype}: ${all.join(' ')}; `);
const lines = entries.join('').match(/.{1,240} /g) ?? [];

await writeFile(
  new URL('src/platform/display-name/confusables.ts', ROOT),
  `/**
 * The prototypes of confusable characters (UTS 39 §4), Unicode ${version}, separated by semicolons: the code points of the prototype,
 * then each code point that has it. Generated from confusables.txt by src/cli/generate/confusables.ts.
 *
 * Copyright © 1991-2026 Unicode, Inc. Unicode and the Unicode Logo are registered trademarks of Unicode, Inc. in the U.S. and other
 * countries. Licensed under the Unicode License v3 (https://www.unicode.org/license.txt): permission is granted to use, copy, modify
 * and distribute the data provided that this notice appears with all copies. It is provided "as is", without warranty of any kind.
 */
export const CONFUSABLES = \`
${lines.map((line) => line.trim().toLowerCase()).join('\n')}
\`;
`,
);
