/** Strapi on the same data: its own tables, filled from those of the service, and the request for a page of comments with the data of REST. */
import type { PageWanted } from './cases.js';
import { startContender } from './contender.js';
import { envelope } from './contenders.js';
import type { BenchData } from './data.js';
import { withClient } from './database.js';
import { paginate } from './floor-server.js';
import { type ArticleWanted, commonFields, LIST_SIZE, type Peer } from './peer-cases.js';
import { PAGE_SIZE, type PageRequest } from './requests.js';
import { type AtEnd, log } from './session.js';

/** Strapi reads its relations from link tables. It creates all of these tables when it starts. */
const LOAD = `
set session_replication_role = replica;
truncate strapi.authors, strapi.categories, strapi.articles, strapi.comments, strapi.articles_author_lnk, strapi.articles_category_lnk,
  strapi.comments_article_lnk, strapi.comments_author_lnk, strapi.comments_parent_lnk;
insert into strapi.authors (id, document_id, nickname, created_at, updated_at, published_at)
  select id, 'member' || id, nickname, created_at, created_at, created_at from members;
insert into strapi.categories (id, document_id, name, created_at, updated_at, published_at)
  select 1, 'category1', 'Journal', now(), now(), now();
insert into strapi.articles (id, document_id, title, slug, excerpt, content, created_at, updated_at, published_at)
  select id, 'article' || id, title, slug, left(content, 200), content, created_at, updated_at, created_at from articles;
insert into strapi.articles_author_lnk (article_id, author_id) select id, member_id from articles;
insert into strapi.articles_category_lnk (article_id, category_id) select id, 1 from articles;
insert into strapi.comments (id, document_id, content, deleted_at, created_at, updated_at, published_at)
  select id, 'comment' || id, content, deleted_at at time zone 'UTC', created_at at time zone 'UTC', updated_at at time zone 'UTC',
    created_at at time zone 'UTC' from comments;
insert into strapi.comments_article_lnk (comment_id, article_id) select id, article_id from comments;
insert into strapi.comments_author_lnk (comment_id, author_id) select id, member_id from comments where member_id is not null;
insert into strapi.comments_parent_lnk (comment_id, inv_comment_id, comment_ord)
  select id, parent_id, 0 from comments where parent_id is not null;
`;

export async function startStrapi({ url: databaseUrl }: BenchData, atEnd: AtEnd, node: string): Promise<Peer> {
  await withClient(databaseUrl, (client) => client.query('create schema if not exists strapi'));
  const script = '../../bench/peers/strapi/server.js';
  const readyPath = '/api/articles?pagination[pageSize]=1';
  const url = await startContender({ name: 'strapi', script, databaseUrl, node, readyPath }, atEnd);
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('select from strapi.articles_author_lnk limit 1');
    if (rowCount !== 0) return;
    log('Copying the data into the tables of Strapi.');
    // One query of several statements is one transaction.
    await client.query(`${LOAD} create index on strapi.articles (slug)`);
    await client.query('vacuum analyze');
  });
  const shared = { name: 'strapi', url } as const;
  return {
    comments: { ...shared, request: strapiRequest, toRest: strapiToRest },
    articles: { ...shared, request: articlesRequest, toRest: articlesToRest, comparable: commonFields },
  };
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

const ARTICLE = { 'populate[author][fields][0]': 'nickname', 'populate[category][fields][0]': 'name' };
const FIELDS = ['title', 'slug', 'createdAt', 'updatedAt'];

function articlesRequest(wanted: ArticleWanted): PageRequest {
  const fields = [...FIELDS, 'slug' in wanted ? 'content' : 'excerpt'];
  const parameters = new URLSearchParams({
    ...ARTICLE,
    ...Object.fromEntries(fields.map((name, n) => [`fields[${n}]`, name])),
    ...('slug' in wanted
      ? { 'filters[slug][$eq]': wanted.slug }
      : {
          'sort[0]': 'createdAt:desc',
          'sort[1]': 'id:desc',
          'pagination[page]': String(wanted.page),
          'pagination[pageSize]': String(LIST_SIZE),
        }),
  });
  return { method: 'GET', path: `/api/articles?${parameters}` };
}

interface StrapiArticle {
  author: { id: number; nickname: string };
  category: { name: string };
}

function articlesToRest(text: string, wanted: ArticleWanted): string {
  const { data, meta } = JSON.parse(text) as { data: StrapiArticle[]; meta: { pagination: { total: number } } };
  const contents = data.map(({ author, category, ...same }) => ({
    ...same,
    author: author.nickname,
    memberId: author.id,
    category: category.name,
  }));
  if ('slug' in wanted) return envelope(contents[0]);
  return envelope({ contents, pagination: paginate(wanted.page, LIST_SIZE, meta.pagination.total) });
}
