/** An import source in memory. */
import { Readable } from 'node:stream';
import type { ImportSource, SourceArticle, SourceComment, SourceImage, SourceItem } from '../../src/import/source.js';

/** @param items are yielded each time */
export function sourceOf(items: readonly SourceItem[], others: Partial<ImportSource> = {}): ImportSource {
  return {
    product: 'Memory',
    origin: 'memory.test',
    url: 'https://memory.test',
    async *items() {
      yield* items;
    },
    progress: () => ({ read: 0, size: 0 }),
    ...others,
  };
}

export function sourceArticle(key: string, others: Partial<SourceArticle> = {}): SourceArticle {
  return {
    kind: 'article',
    key,
    place: `posts/${key}.md`,
    author: { key: 'ann', name: 'Ann Lee', email: null },
    state: 'PUBLIC',
    title: `Title ${key}`,
    content: `Content of ${key}.`,
    slug: null,
    categories: [],
    tags: [],
    createdAt: new Date('2024-01-02T03:04:05Z'),
    updatedAt: null,
    publishAt: null,
    image: null,
    images: [],
    addresses: [`https://memory.test/${key}`],
    comments: [],
    reduced: [],
    ...others,
  };
}

export function sourceComment(key: string, others: Partial<SourceComment> = {}): SourceComment {
  const author = { key: 'bea', name: 'Bea', email: null };
  const createdAt = new Date('2024-01-03T00:00:00Z');
  return { key, parentKey: null, author, content: `Comment ${key}`, format: 'text', createdAt, ...others };
}

export function imageFile(reference: string, bytes: Buffer, alt: string | null = null): SourceImage {
  return { reference, alt, open: async () => Readable.from([bytes]) };
}
