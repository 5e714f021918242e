/** WordPress exports for the tests: a handwritten file, and small generated ones. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from './folder.js';

/** Resolved from the compiled file, which is one folder deeper than the source. */
export const EXPORT = fileURLToPath(new URL('../../../test/data/wordpress.xml', import.meta.url));

export const HEAD = '<rss><channel><wp:wxr_version>1.2</wp:wxr_version><link>https://made.example</link>';
export const FOOT = '</channel></rss>';

/** An `<item>` that is imported as an article, unless `xml` changes it; `xml` must not repeat its elements. */
export function item(
  id: number,
  { title = `Title ${id}`, content = 'Content', creator = 'ann', xml = '' } = {},
): string {
  return `<item><title>${title}</title><dc:creator>${creator}</dc:creator><content:encoded>${content}</content:encoded>
<wp:post_id>${id}</wp:post_id><wp:post_date_gmt>2024-01-01 00:00:00</wp:post_date_gmt><wp:status>publish</wp:status>
<wp:post_type>post</wp:post_type>${xml}</item>`;
}

export function comment(
  id: number,
  { parent = 0, author = 'Bea', email = '', content = `Comment ${id}` } = {},
): string {
  return `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>${author}</wp:comment_author>
<wp:comment_author_email>${email}</wp:comment_author_email><wp:comment_parent>${parent}</wp:comment_parent>
<wp:comment_date_gmt>2024-01-02 00:00:00</wp:comment_date_gmt><wp:comment_content>${content}</wp:comment_content>
<wp:comment_approved>1</wp:comment_approved><wp:comment_type></wp:comment_type></wp:comment>`;
}

/** Files of the calling `describe`, deleted after it. */
export function useFiles(): (content: string | Buffer) => Promise<string> {
  let folder: string;
  let count = 0;
  before(async () => {
    folder = await makeFolder();
  });
  return async (content) => {
    const path = join(folder, `export-${++count}.xml`);
    await writeFile(path, content);
    return path;
  };
}
