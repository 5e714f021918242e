/** Articles for search tests, inserted directly into the database with given ids and times. */
import { readFile } from 'node:fs/promises';
import { QueryTypes } from 'sequelize';
import { addRendering, type Rendered } from '../../src/models/article/html.js';
import type { ArticleScope } from '../../src/models/article/list.js';
import { findArticlesByKeyword } from '../../src/models/article/search.js';
import { ADD_TAGS, TAG_ARTICLE } from '../../src/models/tag.js';
import type { Database, Transaction } from '../../src/platform/database/pool.js';
import { statement } from '../../src/platform/database/statement.js';
import { renderHtml } from '../../src/services/rendering/render-worker.js';
import { RENDERER_VERSION } from '../../src/services/rendering/renderer.js';
import { visibleText } from '../../src/services/rendering/visible-text.js';
import { testDatabase } from './database.js';

export interface SearchText {
  id: number;
  title: string;
  content: string;
  tags: string[];
}

export interface GoldenQuery {
  query: string;
  /** Ids of all expected texts, in ascending order. */
  expected: number[];
}

/** @returns the lines of an NDJSON file in test/data, which is not copied to dist */
export async function testData<Row>(name: string): Promise<Row[]> {
  const text = await readFile(new URL(`../../../test/data/${name}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export interface FoundIds {
  ids: number[];
  total: number;
}

export interface SearchUnderTest {
  database: Database;
  /** The default category of new articles. */
  shelf: Shelf;
  empty(): Promise<void>;
  find(keyword: string, filter?: ArticleScope, limit?: number, offset?: number): Promise<FoundIds>;
  idsOf(keyword: string, filter?: ArticleScope): Promise<number[]>;
  /** Without a rendering: the index contains the source. */
  add(id: number, title: string, content: string, tags?: string[], on?: Shelf): Promise<void>;
  /** With the rendered content, like the service. */
  addRendered(text: SearchText): Promise<void>;
  run(sql: string, bind?: Record<string, unknown>): Promise<void>;
}

/** Search on the database of the suite; call `empty` first. */
export function useSearch(): SearchUnderTest {
  const search = {
    empty: async () => {
      search.database = await testDatabase();
      search.shelf = await addShelf(search.database, 'searcher');
    },
    find: async (keyword, scope = {}, limit = 1000, offset = 0) => {
      const request = {
        keyword,
        scope,
        order: null,
        slice: { limit, offset },
        includes: { content: false, tags: false },
      };
      const { contents, total } = await findArticlesByKeyword(search.database, request);
      return { ids: contents.map(({ id }) => id), total };
    },
    idsOf: async (keyword, filter) => (await search.find(keyword, filter)).ids,
    add: (id, title, content, tags = [], on = search.shelf) =>
      addText(search.database, on, { id, title, content, tags }),
    addRendered: (text) => addText(search.database, search.shelf, text, rendered(text.content)),
    run: async (sql, bind = {}) => void (await search.database.sequelize.query(sql, { bind })),
  } as SearchUnderTest;
  return search;
}

export interface Shelf {
  memberId: number;
  categoryId: number;
}

/** @returns a new member without a password, and the member's category */
export async function addShelf(database: Database, nickname: string): Promise<Shelf> {
  const [shelf] = await database.sequelize.query<Shelf>(
    `with m as (insert into members (member_name, nickname) values (:nickname, :nickname) returning id)
     insert into categories (member_id, name, is_default) select id, 'General', true from m
     returning member_id as "memberId", id as "categoryId"`,
    { replacements: { nickname }, type: QueryTypes.SELECT },
  );
  if (!shelf) throw new Error('no category was made');
  return shelf;
}

/** Inserts an article and its tags in one transaction, like the resolver. `created_at` is `id` minutes after 2026-01-01. */
async function addText(
  database: Database,
  { memberId, categoryId }: Shelf,
  text: SearchText,
  rendering?: Rendered,
): Promise<void> {
  await database.transaction(async (db) => {
    await db.query(ADD_TAGS, [text.tags, null]);
    await insertArticle(db, { memberId, categoryId, ...text });
    if (rendering) await addRendering(db, text.id, rendering);
    await db.query(TAG_ARTICLE, [text.id, text.tags]);
  });
}

function rendered(content: string): Rendered {
  const html = renderHtml(content, Number.POSITIVE_INFINITY);
  return { version: RENDERER_VERSION, html, text: visibleText(html), mentioned: [] };
}

const INSERT_ARTICLE = statement<[id: number, memberId: number, categoryId: number, title: string, content: string]>(
  'test_insert_article',
  `insert into articles (id, member_id, category_id, title, content, created_at)
   overriding system value values ($1, $2, $3, $4, $5, timestamptz '2026-01-01Z' + $1::bigint * interval '1 minute')`,
);

async function insertArticle(
  db: Transaction,
  { id, memberId, categoryId, title, content }: Shelf & SearchText,
): Promise<void> {
  await db.query(INSERT_ARTICLE, [id, memberId, categoryId, title, content]);
}
