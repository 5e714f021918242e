/**
 * What programs show that read Markdown: written by hand in `shown.html` of each sample, from the documentation of kramdown (kramdown.gettalong.org/syntax.html),
 * Hugo (gohugo.io/content-management), Obsidian (help.obsidian.md) and the source of velog-client.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReferenceText } from './compared-words.js';

/** @param path of a sample with one text */
export async function shownByMarkdownProgram(path: string): Promise<ReferenceText[]> {
  const html = await readFile(join(path, 'shown.html'), 'utf8');
  const name =
    { jekyll: '_posts/2026-01-02-owls.md', hugo: 'content/owls.md' }[path.split('/').at(-1) ?? ''] ?? 'owls.md';
  return [{ key: `${name} 2026-01-02T00:00:00.000Z`, html }];
}
