/** Logged-in members, and the article that their notifications refer to, in a database that is recreated for each run. */
import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { migrateJobs } from '../src/platform/database/migrate-queue.js';
import { signToken } from '../src/services/auth/token.js';
import { createDatabase, withClient } from './database.js';

export interface Reader {
  memberId: number;
  token: string;
}

export interface NotificationData {
  databaseUrl: string;
  articleId: number;
  readers: Reader[];
}

/** @param serverUrl superuser URL of a server used only by the benchmark; @param secret signs the tokens */
export async function prepareReaders(serverUrl: string, count: number, secret: string): Promise<NotificationData> {
  await withClient(serverUrl, (client) => client.query('drop database if exists bench_notifications with (force)'));
  const databaseUrl = await createDatabase(serverUrl, 'bench_notifications');
  await migrateJobs(databaseUrl);
  return withClient(databaseUrl, async (client) => {
    await client.query(MEMBERS, [count]);
    const { rows } = await client.query<{ id: string }>(ARTICLE);
    const readers = await createSessions(client, count, secret);
    await client.query('vacuum analyze');
    return { databaseUrl, articleId: Number(rows[0]?.id), readers };
  });
}

/** Logs in the members from id 1. @param secret signs the tokens, which are valid for an hour */
export async function createSessions(client: pg.Client, count: number, secret: string): Promise<Reader[]> {
  const readers = Array.from({ length: count }, (_, n) => ({ memberId: n + 1, sessionId: randomUUID() }));
  const sessions = readers.map(({ sessionId }) => sessionId);
  await client.query(SESSIONS, [sessions, sessions.map(() => randomBytes(32))]);
  return readers.map((reader) => withToken(reader, secret));
}

function withToken({ memberId, sessionId }: { memberId: number; sessionId: string }, secret: string): Reader {
  const issuedAt = Math.floor(Date.now() / 1000);
  const times = { generation: 0, startedAt: issuedAt, issuedAt, expiresAt: issuedAt + 3600 };
  return { memberId, token: signToken('access', secret, { memberId, sessionId, ...times }) };
}

const MEMBERS = `insert into members (email, member_name, nickname)
  select 'reader' || n || '@example.org', 'Reader ' || n, 'reader' || n from generate_series(1, $1::integer) n`;

const ARTICLE = `with category as (
    insert into categories (member_id, name, is_default) values (1, 'General', true) returning id, member_id
  )
  insert into articles (member_id, category_id, title, content)
  select member_id, id, 'Article', 'Content' from category returning id`;

const SESSIONS = `insert into sessions (id, member_id, refresh_hash, issued_at, expires_at, address, device)
  select s.id, s.n, s.hash, now(), now() + interval '1 hour', '127.0.0.1', 'bench'
  from unnest($1::uuid[], $2::bytea[]) with ordinality as s(id, hash, n)`;
