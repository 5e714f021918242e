/** WordPress with nginx, PHP-FPM and MariaDB, all in the folder of the benchmark: its tables, filled from those of the service, and its requests. */
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../src/platform/database/embedded/server.js';
import type { PageWanted } from './cases.js';
import { isOk, startProgram } from './contender.js';
import { envelope } from './contenders.js';
import type { BenchData } from './data.js';
import { paginate } from './floor-server.js';
import { copyRows, loadDatabase, MARIADB_SOCKET, query, type Rows, runProgram, startMariadb } from './mariadb.js';
import { type ArticleWanted, commonFields, LIST_SIZE, type Peer } from './peer-cases.js';
import { PAGE_SIZE, type PageRequest } from './requests.js';
import { type AtEnd, FOLDER, log } from './session.js';

/** The files of the package; its configuration in /etc is not read. */
export const WORDPRESS = '/usr/share/wordpress';
const CONFIGURATION = fileURLToPath(new URL('../../bench/peers/wordpress/', import.meta.url));
const SITE = join(FOLDER, 'wordpress');

export async function startWordpress({ url: databaseUrl, comments }: BenchData, atEnd: AtEnd): Promise<Peer> {
  await startMariadb(atEnd);
  const port = await findFreePort();
  await writeSite(port);
  const database = `wordpress_${comments}`;
  const env = { DB_NAME: database, DB_SOCKET: MARIADB_SOCKET };
  await loadDatabase(database, async () => {
    log('Copying the data into the tables of WordPress.');
    await runProgram('php', [join(SITE, 'www/install.php')], { env: { ...process.env, ...env } });
    await query(EMPTY, database);
    for (const rows of ROWS) await copyRows(databaseUrl, database, rows);
    await query(COUNT, database);
  });
  const php = ['--nodaemonize', '--allow-to-run-as-root', '--fpm-config', join(SITE, 'php-fpm.conf')];
  const isReady = async () => existsSync(join(SITE, 'php.sock'));
  await startProgram({ name: 'php-fpm', command: findPhpFpm(), args: [...php, ...PHP_SETTINGS], env, isReady }, atEnd);
  const url = `http://127.0.0.1:${port}`;
  const nginx = ['-e', 'stderr', '-p', SITE, '-c', join(SITE, 'nginx.conf')];
  await startProgram(
    { name: 'nginx', command: 'nginx', args: nginx, isReady: () => isOk(`${url}/wp-json/wp/v2/posts`) },
    atEnd,
  );
  return {
    comments: { name: 'wordpress', url, request: commentsRequest, toRest: commentsToRest, comparable: withoutUpdates },
    articles: { name: 'wordpress', url, request: articlesRequest, toRest: articlesToRest, comparable: commonFields },
  };
}

/** The file has the version in its name. */
export function findPhpFpm(folder = '/usr/sbin'): string {
  return join(folder, readdirSync(folder).find((name) => name.startsWith('php-fpm')) ?? 'php-fpm');
}

/** The code is compiled once and not checked for changes; the shared memory has room for the objects of all pages that are read. */
const PHP_SETTINGS = [
  'opcache.memory_consumption=256',
  'opcache.interned_strings_buffer=16',
  'opcache.max_accelerated_files=10000',
  'opcache.validate_timestamps=0',
  'apc.shm_size=1G',
].flatMap((setting) => ['-d', setting]);

async function writeSite(port: number): Promise<void> {
  const root = join(SITE, 'www');
  await mkdir(join(root, 'wp-content'), { recursive: true });
  // The package has links to files of other packages.
  await cp(WORDPRESS, root, { recursive: true, dereference: true, filter: (path) => !path.endsWith('.htaccess') });
  for (const name of ['wp-config.php', 'install.php']) await cp(CONFIGURATION + name, join(root, name));
  await cp(`${CONFIGURATION}object-cache.php`, join(root, 'wp-content/object-cache.php'));
  for (const name of ['nginx.conf', 'php-fpm.conf']) {
    const text = await readFile(CONFIGURATION + name, 'utf8');
    await writeFile(join(SITE, name), text.replaceAll('FOLDER', SITE).replaceAll('PORT', String(port)));
  }
}

/** All articles are in one category, as those of a member of the service. */
const EMPTY = `
truncate wp_users; truncate wp_usermeta; truncate wp_posts; truncate wp_postmeta; truncate wp_comments; truncate wp_commentmeta;
truncate wp_term_relationships;
update wp_terms set name = 'Journal', slug = 'journal' where term_id = 1`;

const COUNT = `
update wp_term_taxonomy set count = (select count(*) from wp_term_relationships) where term_id = 1;
analyze table wp_users, wp_usermeta, wp_posts, wp_comments, wp_term_relationships`;

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

/** A deleted comment with replies does not exist in WordPress: its place has the text that readers of the service see. */
const ROWS: readonly Rows[] = [
  {
    table: 'wp_users',
    columns: 'ID, user_login, user_nicename, user_email, user_registered, display_name',
    select: `select id, 'member' || id, 'member' || id, email, ${time('created_at')}, nickname from members`,
  },
  {
    table: 'wp_usermeta',
    columns: 'user_id, meta_key, meta_value',
    select: `select id, key, value from members, (values ('wp_capabilities', 'a:1:{s:6:"author";b:1;}'), ('wp_user_level', '2')) m (key, value)`,
  },
  {
    table: 'wp_posts',
    columns: `ID, post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status, comment_status, ping_status,
      post_name, post_modified, post_modified_gmt, post_type, comment_count`,
    select: `select id, member_id, ${time('created_at')}, ${time('created_at')}, content, title, left(content, 200), 'publish', 'open', 'closed',
      slug, ${time('updated_at')}, ${time('updated_at')}, 'post', (select count(*) from comments c where c.article_id = a.id) from articles a`,
  },
  { table: 'wp_term_relationships', columns: 'object_id, term_taxonomy_id', select: 'select id, 1 from articles' },
  {
    table: 'wp_comments',
    columns: `comment_ID, comment_post_ID, comment_author, comment_date, comment_date_gmt, comment_content, comment_approved, comment_type,
      comment_parent, user_id`,
    select: `select c.id, article_id, case when deleted_at is null then coalesce(nickname, '(withdrawn)') else '(deleted)' end,
      ${time('c.created_at')}, ${time('c.created_at')}, case when deleted_at is null then content else '(deleted)' end, 1, 'comment',
      coalesce(parent_id, 0), coalesce(member_id, 0) from comments c left join members m on m.id = member_id`,
  },
];

const API = '/wp-json/wp/v2';

/** Replies are linked resources, which `_embed` adds. The number of all comments is in a header, which `_envelope` adds to the body. */
function commentsRequest({ articleId, page }: PageWanted): PageRequest {
  const fields = 'id,author,author_name,content,date,_links.children';
  const path = `${API}/comments?post=${articleId}&parent=0&page=${page}&per_page=${PAGE_SIZE}&_fields=${fields}`;
  return { method: 'GET', path: `${path}&_embed=children&_envelope=1` };
}

interface Rendered {
  rendered: string;
}

interface Envelope<Body> {
  body: Body[];
  headers: { 'X-WP-Total': number };
}

interface Comment {
  id: number;
  author: number;
  author_name: string;
  content: Rendered;
  date: string;
  _embedded?: { children: [Comment[]] };
}

function commentsToRest(text: string, { page }: PageWanted): string {
  const { body, headers } = JSON.parse(text) as Envelope<Comment>;
  const contents = body.map((one) => ({
    ...toComment(one),
    replies: (one._embedded?.children[0] ?? []).map(toComment),
  }));
  return envelope({ contents, pagination: paginate(page, PAGE_SIZE, headers['X-WP-Total']) });
}

function toComment({ id, author, author_name, content, date }: Comment) {
  return { id, content: plain(content), author: author_name, memberId: author, createdAt: date };
}

/** WordPress has no time of the last change of a comment, and removes white space around its text. */
function withoutUpdates(rest: string): string {
  return JSON.stringify(JSON.parse(rest), (key, value) => {
    if (key === 'updatedAt') return undefined;
    return key === 'content' ? value.trim() : value;
  });
}

const ENTITIES: Record<string, string> = { '&#8220;': '"', '&#8221;': '"', '&#8243;': '"', '🙂': ':)' };

/** The text of which WordPress has made HTML with typographic quotes and pictures. */
function plain({ rendered }: Rendered): string {
  const text = rendered.replace(/<br \/>|<\/?p>/g, '').trim();
  return text.replace(/&#\d+;|🙂/gu, (found) => ENTITIES[found] ?? found);
}

function articlesRequest(wanted: ArticleWanted): PageRequest {
  const which = 'slug' in wanted ? `slug=${wanted.slug}` : `page=${wanted.page}&per_page=${LIST_SIZE}`;
  const text = 'slug' in wanted ? 'content' : 'excerpt';
  const fields = `id,slug,title,${text},date,modified,author,_links.author,_links.wp:term`;
  return { method: 'GET', path: `${API}/posts?${which}&_fields=${fields}&_embed=author,wp:term&_envelope=1` };
}

interface Post {
  id: number;
  slug: string;
  title: Rendered;
  content?: Rendered;
  date: string;
  modified: string;
  author: number;
  _embedded: { author: [{ name: string }]; 'wp:term': [[{ name: string }]] };
}

function articlesToRest(text: string, wanted: ArticleWanted): string {
  const { body, headers } = JSON.parse(text) as Envelope<Post>;
  const contents = body.map(toArticle);
  if ('slug' in wanted) return envelope(contents[0]);
  return envelope({ contents, pagination: paginate(wanted.page, LIST_SIZE, headers['X-WP-Total']) });
}

function toArticle({ id, slug, title, content, date, modified, author, _embedded }: Post) {
  return {
    id,
    title: title.rendered,
    slug,
    author: _embedded.author[0].name,
    memberId: author,
    category: _embedded['wp:term'][0][0].name,
    ...(content && { content: plain(content) }),
    createdAt: date,
    updatedAt: modified,
  };
}
