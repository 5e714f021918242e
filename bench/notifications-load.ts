/** Creates notifications at a constant rate, each in a separate transaction, and records the time of each commit. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { NotificationData } from './notifications-data.js';

/** Maximum number of concurrent transactions. */
const WRITERS = 8;

export interface CreatedNotification {
  id: number;
  memberId: number;
  /** Time just before `commit` is sent, so that the latency includes the commit. */
  at: number;
}

export interface Load {
  rate: number;
  seconds: number;
}

/** Notifies the readers in turn. The rate does not depend on the duration of the transactions. */
export async function createNotifications(
  data: NotificationData,
  { rate, seconds }: Load,
): Promise<CreatedNotification[]> {
  const pool = new pg.Pool({ connectionString: data.databaseUrl, max: WRITERS });
  const started = performance.now();
  const writes: Promise<CreatedNotification>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    const wait = started + (n * 1000) / rate - performance.now();
    if (wait > 0) await delay(wait);
    const { memberId } = data.readers[n % data.readers.length] ?? { memberId: 1 };
    writes.push(create(pool, memberId, data.articleId));
  }
  const created = await Promise.all(writes);
  await pool.end();
  return created;
}

async function create(pool: pg.Pool, memberId: number, articleId: number): Promise<CreatedNotification> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ id: string }>({
      name: 'create',
      text: INSERT,
      values: [memberId, articleId],
    });
    const at = performance.now();
    await client.query('commit');
    return { id: Number(rows[0]?.id), memberId, at };
  } finally {
    client.release();
  }
}

const INSERT = `insert into notifications (member_id, type, article_id) values ($1, 'COMMENT', $2) returning id`;

/**
 * The floor: one connection that executes LISTEN and reads nothing. No delivery to clients can be faster than the NOTIFY.
 * @returns a function that ends it
 */
export async function listenBare(databaseUrl: string, called: (memberId: number, at: number) => void) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on('notification', ({ payload }) => called(Number(payload), performance.now()));
  await client.query('listen daybook_notifications');
  return () => client.end();
}
