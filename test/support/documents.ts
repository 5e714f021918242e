/** The project's documents: their links, their headings and what stands between fences. */
import { readdir, readFile } from 'node:fs/promises';
import { ROOT } from '../../src/cli/generate/files.js';

export interface Fence {
  /** What stands behind the opening fence: a language, and for a whole file its path. */
  info: string;
  text: string;
  /** The reason in a comment `<!-- not run: … -->` directly before it. */
  exemption: string | undefined;
}

/** Paths from the project's root. */
export async function documents(): Promise<string[]> {
  const below = async (folder: string) =>
    (await readdir(new URL(folder, ROOT))).filter((name) => name.endsWith('.md')).map((name) => folder + name);
  return [...(await below('./')), ...(await below('docs/')), ...(await below('docs/decisions/'))];
}

export function readDocument(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8');
}

export function fencesOf(document: string): Fence[] {
  const pattern = /(?:<!-- not run: ([^>]+) -->\n+)?^```([^\n]+)\n([\s\S]*?)^```$/gm;
  return [...document.matchAll(pattern)].map(([, exemption, info = '', text = '']) => ({ info, text, exemption }));
}

/** Targets of links and pictures, outside of fences and code. */
export function linksOf(document: string): string[] {
  const prose = document.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(([, a, b]) => a ?? b ?? '');
}

/** The anchors of headings, as GitHub makes them. */
export function anchorsOf(document: string): string[] {
  const headings = document.replace(/^```[\s\S]*?^```$/gm, '').match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}
