/** The floor (lower bound): node:http, pg and one prepared statement that builds the JSON, without other layers. */
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { commentPage } from './floor-comments.js';
import { findPage, pool, serve } from './floor-server.js';

const STATEMENT = `select a.top_level_count as total, ${commentPage('$2', '$3')} as contents from articles a where a.id = $1`;

/** Without authentication, validation and notification. The triggers of the database update counters and stamps. */
const INSERT = 'insert into comments (article_id, member_id, content) values ($1, 1, $2) returning id';

const ROUTE = /^\/api\/articles\/(\d+)\/comments(?:\?page=(\d+)&size=(\d+))?$/;

serve(async (url, request) => {
  const [, id, page, size] = ROUTE.exec(url)?.map(Number) ?? [];
  if (id && request.method === 'POST') return createComment(id, request);
  if (!id || !page || !size) return undefined;
  return findPage({ name: 'page', text: STATEMENT, values: [id, size, (page - 1) * size] }, page, size);
});

async function createComment(articleId: number, request: IncomingMessage): Promise<string> {
  const { content } = (await json(request)) as { content: string };
  const { rows } = await pool.query<{ id: string }>({ name: 'insert', text: INSERT, values: [articleId, content] });
  return `{"id":${rows[0]?.id}}`;
}
