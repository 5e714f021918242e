/** Makes the data that is measured: members, articles and comments, written by PostgreSQL itself, once per database. */
import pg from 'pg';
import { migrate } from '../src/database/migrate.js';
import { openDatabase } from '../src/database/pool.js';
import { ARTICLES, CATEGORIES, COUNTS, LIST_COUNTS, MEMBERS, PROBLEMS, REPLIES, TOP_LEVEL, WORDS } from './rows.js';

export interface BenchData {
  url: string;
  /** All comments, replies among them. */
  comments: number;
  /** The article that holds a tenth of all comments. */
  hotArticleId: number;
  /** Every other article: the ids from the first to the last, without gaps. */
  firstArticleId: number;
  lastArticleId: number;
}

/**
 * @param serverUrl a superuser's address on a server of the bench's own; the data gets a database there, named by its size.
 * @param comments all comments, at least 1,000. Two of three are top-level, and every second one of those has a reply.
 * @returns where the data is; data that an earlier run has made is taken as it is.
 */
export async function prepareData(serverUrl: string, comments: number): Promise<BenchData> {
  const database = `bench_${comments}`;
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  await createDatabase(serverUrl, database);
  await migrateAt(url.href);
  const size = sizeOf(comments);
  await withClient(url.href, async (client) => {
    if (await isMade(client)) return;
    await load(client, size);
    // Sets the visibility map, without which an index-only scan visits the table all the same.
    await client.query('vacuum analyze');
  });
  return { url: url.href, comments, hotArticleId: 1, firstArticleId: 2, lastArticleId: size.articles };
}

interface Size {
  members: number;
  articles: number;
  topLevel: number;
  replies: number;
}

function sizeOf(comments: number): Size {
  const replies = Math.floor(comments / 3);
  // As many members at every size: with few of them PostgreSQL would scan the table, and the small case be the slow one.
  return { members: 10_000, articles: Math.ceil(comments / 100) + 1, topLevel: comments - replies, replies };
}

async function createDatabase(serverUrl: string, database: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  });
}

async function migrateAt(url: string): Promise<void> {
  const database = openDatabase(url, { poolSize: 1, statementTimeout: 60_000 });
  try {
    await migrate(database.sequelize);
  } finally {
    await database.close();
  }
}

/** The marker is written in the load's own transaction, so that data made by half does not pass for data. */
async function isMade(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ made: boolean }>("select to_regclass('bench_data_made') is not null as made");
  return rows[0]?.made ?? false;
}

async function load(client: pg.Client, size: Size): Promise<void> {
  await client.query('begin');
  // Neither triggers nor foreign keys: per row they would cost more than the rows. `verify` makes up for both.
  await client.query('set local session_replication_role = replica');
  await client.query('select setseed(0.42)');
  // A load that failed has used up numbers; ids must start at 1.
  await client.query('truncate members restart identity cascade');
  await client.query(MEMBERS, [size.members]);
  await client.query(CATEGORIES);
  await client.query(ARTICLES, [size.articles, size.members]);
  await client.query(TOP_LEVEL, [size.topLevel, size.replies, size.articles, size.members, WORDS]);
  await client.query(REPLIES, [size.replies, size.members, WORDS]);
  await client.query(COUNTS);
  await client.query(LIST_COUNTS);
  await verify(client, size);
  await client.query('create table bench_data_made ()');
  await client.query('commit');
}

async function verify(client: pg.Client, size: Size): Promise<void> {
  const { rows } = await client.query<{ problem: string }>(PROBLEMS, [size.topLevel + size.replies]);
  if (rows.length > 0)
    throw new Error(`The bench's data came out wrong: ${rows.map((row) => row.problem).join(', ')}.`);
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
