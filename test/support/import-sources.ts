/** Reads the records of an import source without a database. */
import { fileURLToPath } from 'node:url';
import { type Input, openInput } from '../../src/import/input.js';
import type { ImportSource, Product, SourceArticle, SourceItem } from '../../src/import/source.js';

/** The path of a file or folder in test/data. */
export function sample(name: string): string {
  return fileURLToPath(new URL(`../../../test/data/${name}`, import.meta.url));
}

export interface ReadSource {
  origin: string;
  items: SourceItem[];
  /** By title. */
  articles: Map<string, SourceArticle>;
}

/** @throws Error if the input is not recognized; FileError as `items` */
export async function readSource(product: Product, path: string): Promise<ReadSource> {
  const input = await openInput(path);
  try {
    const source = await openWith(product, input);
    const items: SourceItem[] = [];
    for await (const item of source.items()) items.push(item);
    const articles = items.filter((item) => item.kind === 'article').map((item) => [item.title, item] as const);
    return { origin: source.origin, items, articles: new Map(articles) };
  } finally {
    await input.close();
  }
}

/** @throws Error if the input is not recognized */
export async function openWith(product: Product, input: Input): Promise<ImportSource> {
  const source = await product.open(input, { publishProtected: false, now: new Date() });
  if (!source) throw new Error('the input is not recognized');
  return source;
}

export function reasonsOf(article: SourceArticle | undefined): string[] {
  return (article?.reduced ?? []).map(({ reason, detail }) => (detail ? `${reason} | ${detail}` : reason));
}
