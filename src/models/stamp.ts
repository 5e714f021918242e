/**
 * Stamps of publicly readable resources, from which their versions follow (HTTP ETag and Last-Modified). A stamp is read in the same
 * statement as the resource or before it, never after it.
 */
import type { Version } from '../platform/http/conditional.js';

/** SQL join for queries whose result shows names of members, categories or tags. */
export const JOIN_NAMES = 'left join name_stamps n on true';

/**
 * An SQL expression for a stamp as one text, to be parsed by `readStamp`.
 * @param tags SQL expressions that make up the tag
 * @param moments SQL expressions of timestamps; the latest is the time of the last change
 * @param revision an SQL expression for the revision, if there is one
 */
export function stampText(tags: readonly string[], moments: readonly string[], revision?: string): string {
  const last = `greatest('epoch', ${moments.join(', ')})`;
  return `concat(${tags.join(`, '.', `)}, ' ', floor(extract(epoch from ${last})), ' ',
    case when ${last} > clock_timestamp() - interval '5 seconds' then 'recent' end${revision ? `, ' ', ${revision}` : ''})`;
}

/** A change is recent for 5 seconds. The only longer transactions are imports, which renew their stamps every second. */
export function readStamp(text: string): Version {
  const [tag = '', second, age, revision] = text.split(' ');
  return { tag, second: Number(second), isRecent: age === 'recent', ...(revision !== undefined && { revision }) };
}

/** An SQL expression: a timestamp as microseconds since 1970. */
export function microseconds(moment: string): string {
  return `(extract(epoch from ${moment}) * 1000000)::bigint`;
}

/** SQL join for queries whose result shows articles `a`: the counters of what readers do with them. */
export const JOIN_COUNTS = 'left join article_counts r on r.article_id = a.id';

const OF_ARTICLE = ['a.revised_at', 'a.discussed_at', 'r.changed_at', 'n.changed_at'];

/** Stamp of an article `a` with everything shown with it; requires JOIN_COUNTS and JOIN_NAMES. */
export const ARTICLE_STAMP = stampText(OF_ARTICLE.map(microseconds), OF_ARTICLE, 'a.version');

/** As ARTICLE_STAMP, for a response to a slug: after the deletion of its article, another one can have it. Requires the same joins. */
export const SLUG_STAMP = stampText(['a.id', ...OF_ARTICLE.map(microseconds)], OF_ARTICLE, 'a.version');

const OF_SUMMARY = [...OF_ARTICLE, 's.changed_at'];

/** Stamp of an article `a` and its summary `s`; requires the same joins. */
const SUMMARY_STAMP = stampText(OF_SUMMARY.map(microseconds), OF_SUMMARY);

/** Stamp of the comments on an article `a`; requires JOIN_NAMES. */
export const DISCUSSION_STAMP = stampText(
  [microseconds('a.discussed_at'), microseconds('n.changed_at')],
  ['a.discussed_at', 'n.changed_at'],
);

/** Stamp of public profiles of members without their numbers, and of the names of categories and tags; requires JOIN_NAMES. */
const NAMES_STAMP = stampText([microseconds('n.changed_at')], ['n.changed_at']);

/** Stamp of the public profile of a member with the counters `c`; requires JOIN_NAMES. */
const PROFILE_STAMP = stampText(
  ['c.member_id', microseconds('c.profile_changed_at'), microseconds('n.changed_at')],
  ['c.profile_changed_at', 'n.changed_at'],
);

/** A query for the stamp of everything that lists can show. */
export const JOURNAL_STAMP = `select ${stampText(['s.total', microseconds('n.changed_at')], ['s.last', 'n.changed_at'])}
  from (select sum(${microseconds('changed_at')}) as total, max(changed_at) as last from journal_stamps) s ${JOIN_NAMES}`;

/**
 * Resources that have a stamp: `article`, `slug` and `address` are an article with everything shown with it, `thread` a comment with its replies,
 * `profile` and `nickname` the public profile of a member. `address` finds an article only by its current slug, `slug` by former ones too.
 */
export type StampKind =
  | 'article'
  | 'slug'
  | 'address'
  | 'discussion'
  | 'summary'
  | 'thread'
  | 'journal'
  | 'names'
  | 'profile'
  | 'nickname';

export interface StampKey {
  readonly kind: StampKind;
  /** 0 for `journal` and `names`; a text for TEXT_KINDS. */
  readonly id: number | string;
}

/** Kinds that are looked up by a text: a slug, or a nickname. */
export const TEXT_KINDS: ReadonlySet<StampKind> = new Set(['slug', 'address', 'nickname']);

const bySlug = (
  kind: StampKind,
  slugs: string,
  condition = '',
) => `select '${kind}' as kind, w.position as id, ${SLUG_STAMP} as stamp
    from unnest(${slugs}) with ordinality as w(slug, position) join article_slugs s on s.slug = w.slug
      join articles a on a.id = s.article_id ${condition} ${JOIN_COUNTS} ${JOIN_NAMES}`;

/**
 * For each kind, a query for the stamps of some ids (an SQL expression of type bigint[]): columns kind, id, stamp. A kind without ids
 * returns its row for the id 0. TEXT_KINDS take text[], and return the position of each in place of an id.
 */
export const STAMP_QUERIES: Readonly<Record<StampKind, (ids: string) => string>> = {
  article: (ids) => `select 'article' as kind, a.id, ${ARTICLE_STAMP} as stamp
    from articles a ${JOIN_COUNTS} ${JOIN_NAMES} where a.id = any(${ids})`,
  slug: (slugs) => bySlug('slug', slugs),
  address: (slugs) => bySlug('address', slugs, 'and a.slug = s.slug'),
  discussion: (ids) =>
    `select 'discussion' as kind, a.id, ${DISCUSSION_STAMP} as stamp from articles a ${JOIN_NAMES} where a.id = any(${ids})`,
  summary: (ids) => `select 'summary' as kind, a.id, ${SUMMARY_STAMP} as stamp
    from articles a left join article_summaries s on s.article_id = a.id ${JOIN_COUNTS} ${JOIN_NAMES} where a.id = any(${ids})`,
  thread: (ids) => `select 'thread' as kind, c.id, ${DISCUSSION_STAMP} as stamp
    from comments c join articles a on a.id = c.article_id ${JOIN_NAMES} where c.id = any(${ids})`,
  journal: (ids) => `select 'journal' as kind, z.id, (${JOURNAL_STAMP}) as stamp from unnest(${ids}) as z(id)`,
  names: (ids) => `select 'names' as kind, z.id, ${NAMES_STAMP} as stamp from unnest(${ids}) as z(id) ${JOIN_NAMES}`,
  profile: (ids) => `select 'profile' as kind, c.member_id as id, ${PROFILE_STAMP} as stamp
    from member_counts c ${JOIN_NAMES} where c.member_id = any(${ids})`,
  nickname: (nicknames) => `select 'nickname' as kind, w.position as id, ${PROFILE_STAMP} as stamp
    from unnest(${nicknames}) with ordinality as w(nickname, position) join members m on lower(m.nickname) = lower(w.nickname)
      join member_counts c on c.member_id = m.id ${JOIN_NAMES}`,
};
