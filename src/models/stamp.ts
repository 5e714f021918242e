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

/** Stamp of an article `a` with everything shown with it; requires JOIN_NAMES. */
export const ARTICLE_STAMP = stampText(
  [microseconds('a.revised_at'), microseconds('a.discussed_at'), microseconds('n.changed_at')],
  ['a.revised_at', 'a.discussed_at', 'n.changed_at'],
  'a.version',
);

/** As ARTICLE_STAMP, for a response to a slug: after the deletion of its article, another one can have it. Requires JOIN_NAMES. */
export const SLUG_STAMP = stampText(
  ['a.id', ...['a.revised_at', 'a.discussed_at', 'n.changed_at'].map(microseconds)],
  ['a.revised_at', 'a.discussed_at', 'n.changed_at'],
  'a.version',
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

/** Stamp of public profiles of members, and of the names of categories and tags; requires JOIN_NAMES. */
const NAMES_STAMP = stampText([microseconds('n.changed_at')], ['n.changed_at']);

/** A query for the stamp of everything that lists can show. */
export const JOURNAL_STAMP = `select ${stampText(['s.total', microseconds('n.changed_at')], ['s.last', 'n.changed_at'])}
  from (select sum(${microseconds('changed_at')}) as total, max(changed_at) as last from journal_stamps) s ${JOIN_NAMES}`;

/**
 * Resources that have a stamp: `article`, `slug` and `address` are an article with everything shown with it, `thread` a comment with its replies.
 * `address` finds an article only by its current slug, `slug` by former ones too.
 */
export type StampKind = 'article' | 'slug' | 'address' | 'discussion' | 'summary' | 'thread' | 'journal' | 'names';

export interface StampKey {
  readonly kind: StampKind;
  /** 0 for `journal` and `names`; a text for SLUG_KINDS. */
  readonly id: number | string;
}

/** Kinds that are looked up by a slug. */
export const SLUG_KINDS: ReadonlySet<StampKind> = new Set(['slug', 'address']);

const bySlug = (
  kind: StampKind,
  slugs: string,
  condition = '',
) => `select '${kind}' as kind, w.position as id, ${SLUG_STAMP} as stamp
    from unnest(${slugs}) with ordinality as w(slug, position) join article_slugs s on s.slug = w.slug
      join articles a on a.id = s.article_id ${condition} ${JOIN_NAMES}`;

/**
 * For each kind, a query for the stamps of some ids (an SQL expression of type bigint[]): columns kind, id, stamp. A kind without ids
 * returns its row for the id 0. SLUG_KINDS take text[], and return the position of each in place of an id.
 */
export const STAMP_QUERIES: Readonly<Record<StampKind, (ids: string) => string>> = {
  article: (ids) => `select 'article' as kind, a.id, ${ARTICLE_STAMP} as stamp
    from articles a ${JOIN_NAMES} where a.id = any(${ids})`,
  slug: (slugs) => bySlug('slug', slugs),
  address: (slugs) => bySlug('address', slugs, 'and a.slug = s.slug'),
  discussion: (ids) =>
    `select 'discussion' as kind, a.id, ${DISCUSSION_STAMP} as stamp from articles a ${JOIN_NAMES} where a.id = any(${ids})`,
  summary: (ids) => `select 'summary' as kind, a.id, ${SUMMARY_STAMP} as stamp
    from articles a left join article_summaries s on s.article_id = a.id ${JOIN_NAMES} where a.id = any(${ids})`,
  thread: (ids) => `select 'thread' as kind, c.id, ${DISCUSSION_STAMP} as stamp
    from comments c join articles a on a.id = c.article_id ${JOIN_NAMES} where c.id = any(${ids})`,
  journal: (ids) => `select 'journal' as kind, z.id, (${JOURNAL_STAMP}) as stamp from unnest(${ids}) as z(id)`,
  names: (ids) => `select 'names' as kind, z.id, ${NAMES_STAMP} as stamp from unnest(${ids}) as z(id) ${JOIN_NAMES}`,
};
