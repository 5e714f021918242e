/**
 * Stamps: version identifiers of publicly readable resources (HTTP ETag and Last-Modified). A stamp is read in the same statement
 * as the resource or before it, never after it.
 */
import type { Database } from '../database/pool.js';
import { type Statement, statement } from '../database/statement.js';

export interface Stamp {
  /** Differs between any two states of the resource. */
  readonly tag: string;
  /** Time of the last change, in seconds since 1970. */
  readonly second: number;
  /**
   * Whether the last change is so recent (5 s) that a change not yet committed may have an earlier time. The only long transactions
   * are imports, which renew their stamps every second.
   */
  readonly isYoung: boolean;
}

/** SQL join for queries whose result shows names of members, categories or tags. */
export const JOIN_NAMES = 'left join name_stamps n on true';

/**
 * An SQL expression for a stamp as one text, to be parsed by `readStamp`.
 * @param tags SQL expressions that make up the tag
 * @param moments SQL expressions of timestamps; the latest is the time of the last change
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

/** An SQL expression: a timestamp as microseconds since 1970. */
export function microseconds(moment: string): string {
  return `(extract(epoch from ${moment}) * 1000000)::bigint`;
}

/** Stamp of an article `a` with everything shown with it; requires JOIN_NAMES. */
export const ARTICLE_STAMP = stampText(
  [microseconds('a.revised_at'), microseconds('a.discussed_at'), microseconds('n.changed_at')],
  ['a.revised_at', 'a.discussed_at', 'n.changed_at'],
);

/** Stamp of an article `a` and its summary `s`; requires JOIN_NAMES. */
const SUMMARY_STAMP = stampText(['a.revised_at', 'a.discussed_at', 's.changed_at', 'n.changed_at'].map(microseconds), [
  'a.revised_at',
  'a.discussed_at',
  's.changed_at',
  'n.changed_at',
]);

/** Stamp of the comments on an article `a`; requires JOIN_NAMES. */
export const DISCUSSION_STAMP = stampText(
  [microseconds('a.discussed_at'), microseconds('n.changed_at')],
  ['a.discussed_at', 'n.changed_at'],
);

/** A query for the stamp of everything that lists can show. */
export const JOURNAL_STAMP = `select ${stampText(['s.total', microseconds('n.changed_at')], ['s.last', 'n.changed_at'])}
  from (select sum(${microseconds('changed_at')}) as total, max(changed_at) as last from journal_stamps) s ${JOIN_NAMES}`;

/** The id of the article or comment; nothing for the journal. */
type StampIds = readonly [id?: number];

interface StampRow {
  stamp: string;
}

const STATEMENTS = {
  article: statement<StampIds, StampRow>(
    'article_stamp',
    `select ${ARTICLE_STAMP} as stamp from articles a ${JOIN_NAMES} where a.id = $1`,
  ),
  discussion: statement<StampIds, StampRow>(
    'discussion_stamp',
    `select ${DISCUSSION_STAMP} as stamp from articles a ${JOIN_NAMES} where a.id = $1`,
  ),
  summary: statement<StampIds, StampRow>(
    'summary_stamp',
    `select ${SUMMARY_STAMP} as stamp
     from articles a left join article_summaries s on s.article_id = a.id ${JOIN_NAMES} where a.id = $1`,
  ),
  thread: statement<StampIds, StampRow>(
    'thread_stamp',
    `select ${DISCUSSION_STAMP} as stamp
     from comments c join articles a on a.id = c.article_id ${JOIN_NAMES} where c.id = $1`,
  ),
  journal: statement<StampIds, StampRow>('journal_stamp', `select (${JOURNAL_STAMP}) as stamp`),
} as const satisfies Record<string, Statement<StampIds, StampRow>>;

/** Resources that have a stamp: `article` is an article with everything shown with it, `thread` a comment with its replies. */
export type Stamped = keyof typeof STATEMENTS;

/** Reads a stamp with one statement, which reads at most a few rows. @returns null if the row does not exist */
export async function findStamp(database: Database, of: Stamped, ids: StampIds): Promise<Stamp | null> {
  const [row] = await database.query(STATEMENTS[of], ids);
  return row ? readStamp(row.stamp) : null;
}
