/** A copy of the public journal that follows the feed of changes, and the journal as anonymous readers get it. */

import { expect } from 'chai';
import { METADATA_NAMES } from '../../src/models/article/metadata.js';
import { NUMBER_CHANGES } from '../../src/models/change.js';
import type { Database } from '../../src/platform/database/pool.js';
import type { TestApp } from './app.js';
import { call, graphql } from './client.js';

export interface ReceivedChange {
  type: string;
  id: number;
  action: string;
  changedAt: string;
  slug: string | null;
  articleId: number | null;
  parentId: number | null;
  revision: number | null;
  [data: string]: unknown;
}

/** Gives numbers to all changes that are committed, as the service does every second. */
export async function numberChanges(database: Database, most = 10_000): Promise<void> {
  for (let taken = most; taken === most; ) taken = (await database.query(NUMBER_CHANGES, [most]))[0]?.taken ?? 0;
}

/** `since` and other parameters of one page. */
export async function readPage(url: string, parameters: Record<string, string | number> = {}) {
  const query = new URLSearchParams(parameters as Record<string, string>);
  const { status, body } = await call(url, `GET /api/changes?${query}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data as { changes: ReceivedChange[]; cursor: string; hasMore: boolean };
}

/** `type id action`. */
export const brief = ({ type, id, action }: ReceivedChange): string => `${type} ${id} ${action}`;

/** What a client stores. */
export class ChangesCopy {
  readonly objects = new Map<string, ReceivedChange>();
  cursor: string | null = null;

  constructor(
    private readonly url: string,
    private readonly size = 50,
  ) {}

  /** Pages until `hasMore` is false. @returns the changes that were received */
  async follow(): Promise<ReceivedChange[]> {
    const received: ReceivedChange[] = [];
    for (let hasMore = true; hasMore; ) hasMore = await this.followPage(received);
    return received;
  }

  /** @returns `hasMore` */
  async followPage(received: ReceivedChange[] = []): Promise<boolean> {
    const page = await readPage(this.url, {
      ...(this.cursor !== null && { since: this.cursor }),
      include: 'data',
      size: this.size,
    });
    for (const change of page.changes) this.#apply(change);
    received.push(...page.changes);
    this.cursor = page.cursor;
    return page.hasMore;
  }

  #apply(change: ReceivedChange): void {
    const { type, id, action } = change;
    if (action !== 'removed') {
      expect(change[type], JSON.stringify(change)).to.not.equal(null);
      this.objects.set(`${type} ${id}`, change);
      return;
    }
    this.objects.delete(`${type} ${id}`);
    if (type === 'article') this.#deleteWhere((one) => one.type === 'comment' && one.articleId === id);
    if (type !== 'member') return;
    this.#deleteWhere((one) => one.type === 'article' && (one.article as { memberId: number }).memberId === id);
  }

  #deleteWhere(isDeleted: (change: ReceivedChange) => boolean): void {
    for (const [key, change] of this.objects) {
      if (!isDeleted(change)) continue;
      this.objects.delete(key);
      if (change.type === 'article') this.#deleteWhere((one) => one.type === 'comment' && one.articleId === change.id);
    }
  }

  /** The data of all objects by type and id. The removal of a member stands for the author of their comments. */
  contents(): Record<string, unknown> {
    const entries = [...this.objects].map(([key, change]) => {
      const data = change[change.type] as Record<string, unknown>;
      const isWithdrawn = change.type === 'comment' && !this.objects.has(`member ${data.memberId}`);
      return [key, { ...data, ...(isWithdrawn && { memberId: 0 }), revision: change.revision }] as const;
    });
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** A copy from scratch. */
export async function freshCopy(url: string, size = 50): Promise<ChangesCopy> {
  const copy = new ChangesCopy(url, size);
  await copy.follow();
  return copy;
}

const ARTICLE = `id title slug ${METADATA_NAMES.join(' ')} excerpt memberId categoryId articleImg articleImgAlt articleImgWidth articleImgHeight articleImgSizes { url width }
  tags visibility seriesId wordCount readingMinutes publishedAt createdAt updatedAt content revision`;

/** What an anonymous reader gets of every object that exists, without the feed. */
export async function publicJournal({
  url,
  database,
}: Pick<TestApp, 'url' | 'database'>): Promise<Record<string, unknown>> {
  const idsOf = async (table: string) =>
    ((await database.sequelize.query(`select id from ${table} order by id`))[0] as { id: number }[]).map(
      ({ id }) => id,
    );
  const found: Record<string, unknown> = {};
  for (const id of await idsOf('all_articles')) {
    const { data } = await graphql(url, `{ article(id: ${id}) { ${ARTICLE} } }`);
    if (data.article) {
      found[`article ${id}`] = data.article;
      let after: string | null = null;
      do {
        const page: GraphQLConnection = (
          await graphql(
            url,
            `query ($after: String) { article(id: ${id}) { comments(first: 50, after: $after) { edges { node { ${COMMENT} replies { ${COMMENT} } } } pageInfo { hasNextPage endCursor } } } }`,
            { after },
          )
        ).data.article.comments;
        for (const { node } of page.edges) {
          const { replies, ...comment } = node;
          for (const one of [comment, ...(replies as { id: string }[])]) found[`comment ${one.id}`] = one;
        }
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null);
    }
  }
  for (const id of await idsOf('members')) {
    const { data } = await graphql(
      url,
      `{ member(id: ${id}) { id nickname bio profileImg profileImgSizes { url width } role createdAt categories { id memberId name } } }`,
    );
    if (!data.member) continue;
    const { categories, ...member } = data.member;
    found[`member ${id}`] = { ...member, revision: null };
    for (const { name, ...category } of categories)
      found[`category ${category.id}`] = { ...category, categoryName: name, revision: null };
  }
  for (const id of await idsOf('series')) {
    const { data } = await graphql(
      url,
      `{ series(id: ${id}, size: 100) { id title description memberId contents { id } } }`,
    );
    if (!data.series) continue;
    const { contents, ...series } = data.series;
    found[`series ${id}`] = { ...series, articleIds: contents.map((one: { id: string }) => one.id), revision: null };
  }
  return Object.fromEntries(
    Object.entries(found)
      .map(([key, value]) => [key, asRest(value)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const COMMENT = 'id content memberId createdAt updatedAt articleId parentId revision';

interface GraphQLConnection {
  edges: { node: Record<string, unknown> & { id: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}

/** Ids as numbers, and times without a zone. */
function asRest(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => asRest(one, name.replace(/s$/, '')));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asRest(one, key)]));
  if (typeof value !== 'string') return value;
  if (/(?:^id|Id)$/.test(name)) return Number(value);
  return /At$/.test(name) ? value.replace(/Z$/, '') : value;
}
