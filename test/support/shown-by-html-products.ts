/** What products show that store HTML: Ghost (ghost.org/docs/content-api, `html`) and Medium (the export, below its title). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReferenceText } from './compared-words.js';

/** @param path of the export in JSON */
export async function shownByGhost(path: string): Promise<ReferenceText[]> {
  const { db } = JSON.parse(await readFile(path, 'utf8'));
  const { posts, comments } = db[0].data;
  return posts.map(({ id, html }: { id: string; html: string | null }) => ({
    key: id,
    html: html ?? '',
    comments: new Map(
      comments
        .filter((comment: { post_id: string }) => comment.post_id === id)
        .map((comment: { id: string; html: string }) => [comment.id, comment.html]),
    ),
  }));
}

/** @param path of the unpacked archive */
export async function shownByMedium(path: string): Promise<ReferenceText[]> {
  const names = await readdir(join(path, 'posts'));
  return Promise.all(
    names.map(async (name) => {
      const page = await readFile(join(path, 'posts', name), 'utf8');
      const [, body = ''] = /<section data-field="body"[^>]*>([\s\S]*)<\/section>\s*<footer/.exec(page) ?? [];
      const html = body.replace(/<h3 [^>]*graf--title[^>]*>.*?<\/h3>/, '');
      return { key: /-([0-9a-f]{12})\.html$/.exec(name)?.[1] ?? name, html };
    }),
  );
}
