/** Loads the benchmark data (members, articles and comments) into PostgreSQL, once per database. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { createDatabase, loadOnce, withClient } from './database.js';
import {
  ARTICLE_TOTALS,
  ARTICLES,
  CATEGORIES,
  COMMENT_COLUMNS,
  Counters,
  commentLines,
  MEMBER_COUNTS,
  MEMBERS,
  PROBLEMS,
  type Size,
} from './rows.js';
import { log } from './session.js';

export interface BenchData {
  url: string;
  /** Number of comments, including replies. */
  comments: number;
  /** The article that holds a tenth of all comments. */
  hotArticleId: number;
  /** All other articles: first and last id, without gaps. */
  firstArticleId: number;
  lastArticleId: number;
}

/**
 * @param serverUrl superuser URL of a server used only by the benchmark; the data gets a database named by its size.
 * @param comments number of comments, at least 1,000. Two thirds are top-level, and every second one of those has a reply.
 * @returns the database of the data; data of an earlier run is reused unchanged.
 */
export async function prepareData(serverUrl: string, comments: number): Promise<BenchData> {
  const url = await createDatabase(serverUrl, `bench_${comments}`);
  const size = sizeOf(comments);
  await loadOnce(url, (client) => load(client, size));
  await withClient(url, (client) => removeAdded(client, comments));
  return { url, comments, hotArticleId: 1, firstArticleId: 2, lastArticleId: size.articles };
}

/** Removes the comments that a mixed load has added. Triggers restore the counters. */
export async function removeAdded(client: pg.Client, comments: number): Promise<void> {
  await client.query('delete from comments where id > $1', [comments]);
  await client.query('delete from notifications');
}

function sizeOf(comments: number): Size {
  const replies = Math.floor(comments / 3);
  // The same number of members at every size: with few members PostgreSQL would scan the table, and the small case be slower.
  return { members: 10_000, articles: Math.ceil(comments / 100) + 1, topLevel: comments - replies, replies };
}

async function load(client: pg.Client, size: Size): Promise<void> {
  // A failed load has advanced the sequences; ids must start at 1. Rows that COPY adds to a truncated table can be frozen at once.
  await client.query('truncate members, comments restart identity cascade');
  await client.query(MEMBERS, [size.members]);
  await client.query(CATEGORIES);
  const { articleComments, articleTopLevel, memberComments, memberReceived } = await copyComments(client, size);
  await client.query(ARTICLES, [articleComments.toArray(), articleTopLevel.toArray(), size.members]);
  await client.query(MEMBER_COUNTS, [memberComments.toArray(), memberReceived.toArray()]);
  await client.query(ARTICLE_TOTALS);
  await verify(client, size);
}

/** Copies the comments with their final values, without indexes, which are built afterwards: an index costs more per row than COPY. */
async function copyComments(client: pg.Client, size: Size): Promise<Counters> {
  const counters = new Counters(size);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const copy = client.query(copyFrom(`copy comments (${COMMENT_COLUMNS}) from stdin (freeze)`));
  await pipeline(Readable.from(commentLines(size, counters), { objectMode: false }), copy);
  const comments = size.topLevel + size.replies;
  await client.query("select setval(pg_get_serial_sequence('comments', 'id'), $1)", [comments]);
  log(`${comments.toLocaleString('en')} comments copied. Building their indexes.`);
  for (const { definition } of indexes) await client.query(definition);
  return counters;
}

/** The indexes of comments except that of the primary key. */
const INDEXES = `
select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition
from pg_index where indrelid = 'comments'::regclass and not indisprimary`;

/** Checks what triggers and foreign keys would. Larger data is produced by the same code as smaller data: comparing all rows of ten million takes longer than loading them. */
const MAX_VERIFIED_COMMENTS = 1_000_000;

async function verify(client: pg.Client, size: Size): Promise<void> {
  if (size.topLevel + size.replies > MAX_VERIFIED_COMMENTS) return;
  const { rows } = await client.query<{ problem: string }>(PROBLEMS, [size.topLevel + size.replies]);
  if (rows.length > 0)
    throw new Error(`The data of the benchmark is wrong: ${rows.map((row) => row.problem).join(', ')}.`);
}
