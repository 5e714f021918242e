/** Notifications at a steady rate, each in a transaction of its own, and when each was committed. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { NotificationData } from './notifications-data.js';

/** Transactions at the same time. */
const WRITERS = 8;

export interface Told {
  id: number;
  memberId: number;
  /** Just before `commit` was sent: what follows counts, the commit itself among it. */
  at: number;
}

export interface Load {
  rate: number;
  seconds: number;
}

/** The readers in turn. The pace is kept whatever a transaction takes: one that waits does not slow the others down. */
export async function tellAll(data: NotificationData, { rate, seconds }: Load): Promise<Told[]> {
  const pool = new pg.Pool({ connectionString: data.databaseUrl, max: WRITERS });
  const started = performance.now();
  const writes: Promise<Told>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    const wait = started + (n * 1000) / rate - performance.now();
    if (wait > 0) await delay(wait);
    const { memberId } = data.readers[n % data.readers.length] ?? { memberId: 1 };
    writes.push(tell(pool, memberId, data.articleId));
  }
  const told = await Promise.all(writes);
  await pool.end();
  return told;
}

async function tell(pool: pg.Pool, memberId: number, articleId: number): Promise<Told> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ id: string }>({ name: 'tell', text: INSERT, values: [memberId, articleId] });
    const at = performance.now();
    await client.query('commit');
    return { id: Number(rows[0]?.id), memberId, at };
  } finally {
    client.release();
  }
}

const INSERT = `insert into notifications (member_id, type, article_id) values ($1, 'COMMENT', $2) returning id`;

/**
 * The floor: one connection that listens and reads nothing. No way of telling clients can be quicker than being called.
 * @returns when each member was last called, and what ends it
 */
export async function listenBare(databaseUrl: string, called: (memberId: number, at: number) => void) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on('notification', ({ payload }) => called(Number(payload), performance.now()));
  await client.query('listen daybook_notifications');
  return () => client.end();
}
