/**
 * Stamps: what tells one state of something that everybody can read from the next. They are read in the statement that
 * reads the thing itself, or before it, never after.
 */
import type { Database } from '../database/pool.js';
import { type Statement, statement } from '../database/statement.js';

export interface Stamp {
  /** Another one for every state. */
  readonly tag: string;
  /** When it changed last, in seconds since 1970. */
  readonly second: number;
  /**
   * Whether that is so short a time ago that a change which is not committed yet may carry an earlier time. Long transactions
   * are imports, which renew their stamps every second.
   */
  readonly isYoung: boolean;
}

/** Joined to whatever shows names of members, categories or tags. */
export const JOIN_NAMES = 'left join name_stamps n on true';

/**
 * An SQL expression for a stamp as one text, for `readStamp`.
 * @param tags SQL expressions; @param moments SQL expressions of which the latest is when it changed last
 */
export function stampText(tags: readonly string[], moments: readonly string[]): string {
  const last = `greatest('epoch', ${moments.join(', ')})`;
  return `concat(${tags.join(`, '.', `)}, ' ', floor(extract(epoch from ${last})), ' ',
    case when ${last} > clock_timestamp() - interval '5 seconds' then 'young' end)`;
}

export function readStamp(text: string): Stamp {
  const [tag = '', second, age] = text.split(' ');
  return { tag, second: Number(second), isYoung: age === 'young' };
}

/** A moment to the microsecond, as a number. */
export function microseconds(moment: string): string {
  return `(extract(epoch from ${moment}) * 1000000)::bigint`;
}

/** Of an article `a` with all that is shown of it, under JOIN_NAMES. */
export const ARTICLE_STAMP = stampText(
  [microseconds('a.revised_at'), microseconds('a.discussed_at'), microseconds('n.changed_at')],
  ['a.revised_at', 'a.discussed_at', 'n.changed_at'],
);

/** Of an article `a` and its summary `s`, under JOIN_NAMES. */
const SUMMARY_STAMP = stampText(['a.revised_at', 'a.discussed_at', 's.changed_at', 'n.changed_at'].map(microseconds), [
  'a.revised_at',
  'a.discussed_at',
  's.changed_at',
  'n.changed_at',
]);

/** Of the comments below an article `a`, under JOIN_NAMES. */
export const DISCUSSION_STAMP = stampText(
  [microseconds('a.discussed_at'), microseconds('n.changed_at')],
  ['a.discussed_at', 'n.changed_at'],
);

/** Of everything that lists can show; a query. */
export const JOURNAL_STAMP = `select ${stampText(['s.total', microseconds('n.changed_at')], ['s.last', 'n.changed_at'])}
  from (select sum(${microseconds('changed_at')}) as total, max(changed_at) as last from journal_stamps) s ${JOIN_NAMES}`;

interface StampRow {
  stamp: string;
}

const STATEMENTS = {
  /** Values: article id. */
  article: statement<StampRow>(
    'article_stamp',
    `select ${ARTICLE_STAMP} as stamp from articles a ${JOIN_NAMES} where a.id = $1`,
  ),
  /** Values: article id. */
  discussion: statement<StampRow>(
    'discussion_stamp',
    `select ${DISCUSSION_STAMP} as stamp from articles a ${JOIN_NAMES} where a.id = $1`,
  ),
  /** Values: article id. */
  summary: statement<StampRow>(
    'summary_stamp',
    `select ${SUMMARY_STAMP} as stamp
     from articles a left join article_summaries s on s.article_id = a.id ${JOIN_NAMES} where a.id = $1`,
  ),
  /** Values: comment id. */
  thread: statement<StampRow>(
    'thread_stamp',
    `select ${DISCUSSION_STAMP} as stamp
     from comments c join articles a on a.id = c.article_id ${JOIN_NAMES} where c.id = $1`,
  ),
  journal: statement<StampRow>('journal_stamp', `select (${JOURNAL_STAMP}) as stamp`),
} as const satisfies Record<string, Statement<StampRow>>;

/** What a stamp can be of: `article` is one with all that is shown of it, `thread` a comment with its replies. */
export type Stamped = keyof typeof STATEMENTS;

/** One statement that looks up a row or a few. @returns null where there is no such row */
export async function findStamp(database: Database, of: Stamped, ids: readonly number[]): Promise<Stamp | null> {
  const [row] = await database.query(STATEMENTS[of], [...ids]);
  return row ? readStamp(row.stamp) : null;
}
