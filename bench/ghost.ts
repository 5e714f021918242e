/** Ghost on MariaDB: its tables, filled from those of the service, and its requests for articles. */
import { startContender } from './contender.js';
import { envelope } from './contenders.js';
import type { BenchData } from './data.js';
import { paginate } from './floor-server.js';
import { copyRows, loadDatabase, MARIADB_SOCKET, query, type Rows, startMariadb } from './mariadb.js';
import { type ArticleWanted, commonFields, LIST_SIZE, type Peer } from './peer-cases.js';
import type { PageRequest } from './requests.js';
import { type AtEnd, log } from './session.js';

export async function startGhost({ url: databaseUrl, comments }: BenchData, atEnd: AtEnd, node: string): Promise<Peer> {
  await startMariadb(atEnd);
  const database = `ghost_${comments}`;
  const settings = { database__connection__socketPath: MARIADB_SOCKET, database__connection__database: database };
  const script = '../../bench/peers/ghost/server.js';
  const start = (end: AtEnd) =>
    startContender({ name: 'ghost', script, databaseUrl, node, settings, readyPath: '/ghost/api/admin/site/' }, end);
  await loadDatabase(database, async () => {
    log('Copying the data into the tables of Ghost.');
    const stops: Parameters<AtEnd>[0][] = [];
    // Ghost creates its tables when it starts, and keeps settings and articles in memory.
    await start((stop) => stops.push(stop)).finally(() => Promise.all(stops.map((stop) => stop())));
    await query(EMPTY, database);
    for (const rows of ROWS) await copyRows(databaseUrl, database, rows);
    await query('analyze table posts, posts_authors, posts_tags, users', database);
  });
  const url = await start(atEnd);
  return {
    articles: { name: 'ghost', url, request: articlesRequest, toRest: articlesToRest, comparable: commonFields },
  };
}

const KEY = '0123456789abcdef0123456789';

/** The tag is the category. */
const EMPTY = `
set foreign_key_checks = 0;
delete from posts_authors; delete from posts_tags; delete from posts_meta; delete from posts; delete from tags;
insert into tags (id, name, slug, visibility, created_at) values (lpad(1, 24, 0), 'Journal', 'journal', 'public', now());
insert into integrations (id, type, name, slug, created_at) values (lpad(1, 24, 0), 'custom', 'Benchmark', 'benchmark', now());
insert into api_keys (id, type, secret, integration_id, created_at) values (lpad(1, 24, 0), 'content', '${KEY}', lpad(1, 24, 0), now())`;

const id = (column: string) => `lpad(${column}::text, 24, '0')`;
const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

const ROWS: readonly Rows[] = [
  {
    table: 'users',
    columns: 'id, name, slug, password, email, status, visibility, created_at',
    select: `select ${id('id')}, nickname, 'member' || id, '', email, 'active', 'public', ${time('created_at')} from members`,
  },
  {
    table: 'posts',
    columns: `id, uuid, title, slug, lexical, html, plaintext, comment_id, type, status, visibility, email_recipient_filter,
      custom_excerpt, created_at, updated_at, published_at`,
    select: `select ${id('id')}, gen_random_uuid(), title, slug,
      json_build_object('root', json_build_object('type', 'root', 'version', 1, 'children', json_build_array(json_build_object(
        'type', 'paragraph', 'version', 1, 'children', json_build_array(json_build_object('type', 'extended-text', 'version', 1, 'text', content)))))),
      '<p>' || content || '</p>', content, ${id('id')}, 'post', 'published', 'public', 'all', left(content, 200),
      ${time('created_at')}, ${time('updated_at')}, ${time('created_at')} from articles`,
  },
  {
    table: 'posts_authors',
    columns: 'id, post_id, author_id',
    select: `select ${id('id')}, ${id('id')}, ${id('member_id')} from articles`,
  },
  {
    table: 'posts_tags',
    columns: 'id, post_id, tag_id',
    select: `select ${id('id')}, ${id('id')}, ${id('1')} from articles`,
  },
];

function articlesRequest(wanted: ArticleWanted): PageRequest {
  const [which, text] =
    'slug' in wanted
      ? [`slug/${wanted.slug}/?fields=`, 'html']
      : [`?limit=${LIST_SIZE}&page=${wanted.page}&fields=`, 'custom_excerpt'];
  const fields = `id,title,slug,${text},published_at,updated_at`;
  return { method: 'GET', path: `/ghost/api/content/posts/${which}${fields}&include=authors,tags&key=${KEY}` };
}

interface Post {
  id: string;
  title: string;
  slug: string;
  html?: string;
  published_at: string;
  updated_at: string;
  authors: [{ id: string; name: string }];
  tags: [{ name: string }];
}

function articlesToRest(text: string, wanted: ArticleWanted): string {
  const { posts, meta } = JSON.parse(text) as { posts: Post[]; meta: { pagination: { total: number } } };
  const contents = posts.map((post) => ({
    id: post.id,
    title: post.title,
    slug: post.slug,
    author: post.authors[0].name,
    memberId: post.authors[0].id,
    category: post.tags[0].name,
    ...(post.html && { content: post.html.replace(/<\/?p>/g, '') }),
    createdAt: post.published_at,
    updatedAt: post.updated_at,
  }));
  if ('slug' in wanted) return envelope(contents[0]);
  return envelope({ contents, pagination: paginate(wanted.page, LIST_SIZE, meta.pagination.total) });
}
