/** The HTTP server, the pool and the JSON of the floors. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE),
  options: '-c plan_cache_mode=force_generic_plan -c jit=off',
});

/** SQL of a JSON array; not json_agg, which inserts a space and a line break between elements. */
export function jsonArray(rows: string): string {
  return `(select '[' || coalesce(string_agg(row_to_json(x)::text, ','), '') || ']' from (${rows}) x)`;
}

/** @param find the JSON of `data`; undefined for 404 */
export function serve(find: (url: string, request: IncomingMessage) => Promise<string | undefined>): void {
  createServer((request, response) => {
    if (request.url === '/readyz') return send(response, 200, '{}');
    find(request.url ?? '', request).then(
      (data) => send(response, data ? 200 : 404, `{"code":"1","message":"OK","data":${data}}`),
      (error: Error) => send(response, 500, JSON.stringify({ message: error.message })),
    );
  }).listen(Number(process.env.PORT), '127.0.0.1');
}

/** Executes a query of one row with the total and the contents of a page. */
export async function findPage(query: pg.QueryConfig, number: number, size: number): Promise<string | undefined> {
  const { rows } = await pool.query<{ total: number; contents: string }>(query);
  const [found] = rows;
  return found && `{"contents":${found.contents},"pagination":${JSON.stringify(paginate(number, size, found.total))}}`;
}

export function paginate(number: number, size: number, total: number): object {
  const pages = Math.ceil(total / size);
  return {
    currentPage: number,
    pageSize: size,
    totalElements: total,
    totalPages: pages,
    last: number >= pages,
    first: number === 1 || pages === 0,
  };
}

export function send(response: ServerResponse, status: number, body: string): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}
