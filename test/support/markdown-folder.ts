/** Reads exported folders of Markdown files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import matter from 'gray-matter';
import type { TestApp } from './app.js';
import { runExport } from './exported.js';
import { makeFolder } from './folder.js';

/** The files of a folder by their paths, sorted. */
export type Files = ReadonlyMap<string, Buffer>;

export async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
  );
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface ExportedFolder {
  folder: string;
  files: Files;
  stderr: string;
}

/** Runs `export --markdown` into a new folder. @throws Error if it fails */
export async function exportMarkdown(app: TestApp, ...options: string[]): Promise<ExportedFolder> {
  const folder = join(await makeFolder(), 'journal');
  const { code, stdout, stderr } = await runExport(app, '--markdown', folder, ...options);
  if (code !== 0 || stdout !== '') throw new Error(`daybook export ended with ${code}: ${stderr}${stdout}`);
  return { folder, files: await readFiles(folder), stderr };
}

/** The Markdown files in one of the folders, by their names. */
export function textsOf(
  files: Files,
  folder = 'articles',
): Map<string, { data: Record<string, unknown>; content: string }> {
  const found = [...files].filter(([path]) => path.startsWith(`${folder}/`) && path.endsWith('.md'));
  return new Map(
    found.map(([path, bytes]) => {
      const { data, content } = matter(bytes.toString());
      return [path.slice(folder.length + 1, -'.md'.length), { data, content }];
    }),
  );
}

/** A JSON file of a folder. */
export function jsonOf<Content>(files: Files, path: string): Content {
  return JSON.parse(files.get(path)?.toString() ?? 'null');
}
