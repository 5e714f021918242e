/** Strapi on the same data: its own tables, filled from those of the service, and the request for a page of comments with the data of REST. */
import type { PageWanted } from './cases.js';
import { startContender } from './contender.js';
import { envelope } from './contenders.js';
import type { BenchData } from './data.js';
import { withClient } from './database.js';
import { paginate } from './floor-server.js';
import type { Contender } from './measure.js';
import { PAGE_SIZE } from './requests.js';
import { type AtEnd, log } from './session.js';

/** Strapi reads its relations from link tables. It creates all of these tables when it starts. */
const LOAD = `
set session_replication_role = replica;
insert into strapi.authors (id, document_id, nickname, created_at, updated_at, published_at)
  select id, 'member' || id, nickname, created_at, created_at, created_at from members;
insert into strapi.articles (id, document_id, title, created_at, updated_at, published_at)
  select id, 'article' || id, title, created_at, updated_at, created_at from articles;
insert into strapi.comments (id, document_id, content, deleted_at, created_at, updated_at, published_at)
  select id, 'comment' || id, content, deleted_at at time zone 'UTC', created_at at time zone 'UTC', updated_at at time zone 'UTC',
    created_at at time zone 'UTC' from comments;
insert into strapi.comments_article_lnk (comment_id, article_id) select id, article_id from comments;
insert into strapi.comments_author_lnk (comment_id, author_id) select id, member_id from comments where member_id is not null;
insert into strapi.comments_parent_lnk (comment_id, inv_comment_id, comment_ord)
  select id, parent_id, 0 from comments where parent_id is not null;
`;

export async function startStrapi(
  { url: databaseUrl }: BenchData,
  node: string,
  atEnd: AtEnd,
): Promise<Contender<PageWanted>> {
  await withClient(databaseUrl, (client) => client.query('create schema if not exists strapi'));
  const script = '../../bench/peers/strapi/server.js';
  const readyPath = '/api/articles?pagination[pageSize]=1';
  const url = await startContender({ name: 'strapi', script, databaseUrl, node, readyPath }, atEnd);
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('select from strapi.comments limit 1');
    if (rowCount !== 0) return;
    log('Copying the data into the tables of Strapi.');
    // One query of several statements is one transaction.
    await client.query(LOAD);
    await client.query('vacuum analyze');
  });
  return { name: 'strapi', url, request: strapiRequest, toRest: strapiToRest };
}

function strapiRequest({ articleId, page }: PageWanted) {
  const parameters = new URLSearchParams({
    'filters[article][id][$eq]': String(articleId),
    'filters[parent][id][$null]': 'true',
    'sort[0]': 'createdAt:desc',
    'sort[1]': 'id:desc',
    'pagination[page]': String(page),
    'pagination[pageSize]': String(PAGE_SIZE),
    'populate[author][fields][0]': 'nickname',
    'populate[replies][sort][0]': 'createdAt:asc',
    'populate[replies][sort][1]': 'id:asc',
    'populate[replies][populate][author][fields][0]': 'nickname',
  });
  return { method: 'GET' as const, path: `/api/comments?${parameters}` };
}

interface StrapiComment {
  id: number;
  content: string;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  author: { id: number; nickname: string } | null;
  replies?: StrapiComment[];
}

function strapiToRest(text: string, { page }: PageWanted): string {
  const { data, meta } = JSON.parse(text) as { data: StrapiComment[]; meta: { pagination: { total: number } } };
  return envelope({ contents: data.map(toComment), pagination: paginate(page, PAGE_SIZE, meta.pagination.total) });
}

function toComment({ id, content, createdAt, updatedAt, deletedAt, author, replies }: StrapiComment): object {
  const isDeleted = deletedAt !== null;
  return {
    id,
    content: isDeleted ? '(deleted)' : content,
    author: isDeleted ? '(deleted)' : (author?.nickname ?? '(withdrawn)'),
    memberId: author?.id ?? 0,
    createdAt,
    updatedAt,
    ...(replies && { replies: replies.map(toComment) }),
  };
}
