/** Reads and writes on several processes during a fault, and the comparison of the acknowledged writes with the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from './build.js';
import { followEvents, type LiveClient } from './live.js';
import { summaryOf } from './summaries.js';
import { slowdown } from './time-limits.js';
import { until } from './until.js';

/** Pause of each client between two requests, so that the load leaves processor time for the other processes. */
const PAUSE_MS = 40;

interface Rejection {
  url: string;
  message: string;
  sentAt: number;
  respondedAt: number;
}

export interface Load {
  /** The requests that received 503, in the order of their responses; times by `performance.now()`. */
  readonly rejected: Rejection[];
  /** The number of successful requests. */
  succeeded(): number;
  slowestMs(): number;
  /** Resolves when each process has served a read and a write that were sent after the call. @returns the time */
  recovered(): Promise<number>;
  /** Ends the requests, and fails if a response was neither a success nor a 503 with Retry-After, or took longer than allowed. */
  stop(): Promise<void>;
  /**
   * Fails unless each acknowledged write exists once, all counters match, streams have each notification and jobs are done.
   * @returns the texts of the writes that received 503 and exist, because their commit was in progress
   */
  verify(databaseUrl: string): Promise<string[]>;
}

interface Options {
  /** The longest time that a response may take. */
  maxMs: number;
  /** Whether connections may be refused or closed without a response, as when a process ends. */
  allowsClosed?: boolean;
}

/** Starts two readers and two writers on each of the processes, and a stream of notifications. */
export async function startLoad(urls: readonly string[], { maxMs, allowsClosed = false }: Options): Promise<Load> {
  const [first = ''] = urls;
  const article = await buildArticle(first);
  const visitor = await buildMember(first);
  const rejected: Rejection[] = [];
  const wrong: string[] = [];
  const sent = { comments: [] as string[], articles: [] as string[] };
  const rejectedWrites = new Set<string>();
  const acknowledged = { comments: [] as string[], articles: [] as number[] };
  const succeededAt = new Map<string, number>();
  const name = `load ${process.pid} ${Math.round(performance.now())}`;
  let succeeded = 0;
  let slowestMs = 0;
  let isOver = false;

  /** @returns the body of a successful response */
  async function request(
    url: string,
    target: string,
    member?: BuiltMember,
    json?: { title?: string; content: string; tags?: string[] },
  ) {
    const [method = '', path = ''] = target.split(' ');
    const sentAt = performance.now();
    try {
      const headers = {
        ...(member && { Authorization: `Bearer ${member.token}` }),
        ...(json && { 'Content-Type': 'application/json' }),
      };
      const body = json ? JSON.stringify(json) : null;
      const signal = AbortSignal.timeout(maxMs + 5_000);
      const response = await fetch(url + path, { method, headers, body, signal });
      const text = await response.text();
      const respondedAt = performance.now();
      slowestMs = Math.max(slowestMs, respondedAt - sentAt);
      if (respondedAt - sentAt > maxMs && respondedAt - sentAt > maxMs * slowdown())
        wrong.push(`${target}: ${Math.round(respondedAt - sentAt)} ms`);
      if (response.ok) {
        succeeded++;
        succeededAt.set(`${url} ${method}`, sentAt);
        return JSON.parse(text) as { data: { id: number } };
      }
      const isRejected = response.status === 503 && Number(response.headers.get('Retry-After')) > 0;
      if (isRejected) {
        rejected.push({ url, message: JSON.parse(text).message, sentAt, respondedAt });
        if (json) rejectedWrites.add(json.content);
      } else wrong.push(`${target}: ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      if (!allowsClosed || (error as Error).name === 'TimeoutError') wrong.push(`${target}: ${error}`);
    }
    return undefined;
  }

  async function repeat(work: () => Promise<unknown>): Promise<void> {
    while (!isOver) {
      await work();
      await delay(PAUSE_MS);
    }
  }
  const comments = `/api/articles/${article.id}/comments`;
  const readArticle = (url: string) => request(url, `GET /api/articles/${article.id}`);
  const readComments = (url: string) => request(url, `GET ${comments}`);
  const writeComment = async (url: string) => {
    const content = `${name} comment ${sent.comments.length}`;
    sent.comments.push(content);
    if (await request(url, `POST ${comments}`, visitor, { content })) acknowledged.comments.push(content);
  };
  const writeArticle = async (url: string) => {
    const title = `${name} article ${sent.articles.length}`;
    sent.articles.push(title);
    const written = await request(url, 'POST /api/articles', visitor, { title, content: title, tags: ['load'] });
    if (written) acknowledged.articles.push(written.data.id);
    await delay(10 * PAUSE_MS);
  };
  const streams = await Promise.all(urls.map((url) => followEvents(url, article.author.token, { after: 0 })));
  const clients = urls.flatMap((url) =>
    [readArticle, readComments, writeComment, writeArticle].map((work) => repeat(() => work(url))),
  );

  return {
    rejected,
    succeeded: () => succeeded,
    slowestMs: () => slowestMs,
    recovered: async () => {
      const calledAt = performance.now();
      const isServed = (url: string, method: string) => (succeededAt.get(`${url} ${method}`) ?? 0) > calledAt;
      await until(() => urls.every((url) => isServed(url, 'GET') && isServed(url, 'POST')));
      return performance.now();
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      expect(wrong.slice(0, 10), `${wrong.length} responses are wrong`).to.deep.equal([]);
    },
    verify: async (databaseUrl) => {
      const texts = await expectWritten(databaseUrl, sent, acknowledged);
      expect(await wrongCounters(databaseUrl), 'counters that do not match the rows').to.deep.equal([]);
      // Each summary notifies the author of its article.
      for (const id of [article.id, ...acknowledged.articles]) {
        await until(async () => (await summaryOf(first, id)).status === 'COMPLETED');
      }
      for (const stream of streams) await expectNotified(stream, article, databaseUrl);
      for (const stream of streams) stream.close();
      return texts.filter((text) => rejectedWrites.has(text));
    },
  };
}

/** The measured text of the result of `verify`. */
export function inProgress(existing: readonly string[]): string {
  return `committed writes with a 503 response: ${existing.length}`;
}

/** @returns the texts of all writes that exist */
async function expectWritten(
  databaseUrl: string,
  sent: { comments: string[]; articles: string[] },
  acknowledged: { comments: string[]; articles: number[] },
): Promise<string[]> {
  const written = await query<{ text: string; copies: number }>(
    databaseUrl,
    `select text, count(*)::int as copies from
       (select content as text from comments union all select title from articles) w where text = any($1) group by 1`,
    [[...sent.comments, ...sent.articles]],
  );
  expect(written.filter(({ copies }) => copies > 1)).to.deep.equal([]);
  const texts = new Set(written.map(({ text }) => text));
  expect(
    acknowledged.comments.filter((content) => !texts.has(content)),
    'acknowledged comments that are lost',
  ).to.deep.equal([]);
  const articles = await query<{ id: number }>(databaseUrl, 'select id::int from articles where id = any($1)', [
    acknowledged.articles,
  ]);
  expect(articles, 'acknowledged articles').to.have.lengthOf(acknowledged.articles.length);
  return [...texts];
}

/** A stream has each notification of the author once, in order. */
async function expectNotified(stream: LiveClient, { author }: BuiltArticle, databaseUrl: string): Promise<void> {
  const rows = await query<{ id: number }>(
    databaseUrl,
    'select id::int from notifications where member_id = $1 order by id',
    [author.id],
  );
  await stream.count(rows.length);
  expect(stream.received.map(({ id }) => Number(id))).to.deep.equal(rows.map(({ id }) => id));
}

/** @returns a line for each counter whose value differs from the number of its rows */
async function wrongCounters(databaseUrl: string): Promise<string[]> {
  const rows = await query<{ line: string }>(
    databaseUrl,
    `with discussions as (
       select article_id, count(*) filter (where deleted_at is null) as comments, count(*) filter (where parent_id is null) as top_level
       from comments group by article_id
     )
     select format('%s of %s: %s instead of %s', counter, id, counted, rows) as line from (
       select 'comment_count' as counter, a.id, a.comment_count as counted, coalesce(d.comments, 0) as rows
         from articles a left join discussions d on d.article_id = a.id
       union all select 'top_level_count', a.id, a.top_level_count, coalesce(d.top_level, 0)
         from articles a left join discussions d on d.article_id = a.id
       union all select 'member_counts.articles', m.member_id, m.articles,
         (select count(*) from articles a where a.member_id = m.member_id) from member_counts m
       union all select 'member_counts.comments', m.member_id, m.comments,
         (select count(*) from comments c where c.member_id = m.member_id) from member_counts m
       union all select 'article_totals', 0, (select sum(articles) from article_totals), (select count(*) from articles)
       union all select 'tags.article_count', t.id, t.article_count,
         (select count(*) from article_tags x where x.tag_id = t.id) from tags t
       union all select 'notification_counts.unread', n.member_id, n.unread,
         (select count(*) from notifications x where x.member_id = n.member_id and x.read_at is null)
         from notification_counts n
     ) c where counted <> rows`,
  );
  return rows.map(({ line }) => line);
}

async function query<Row extends object>(
  connectionString: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
