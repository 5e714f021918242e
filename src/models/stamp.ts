/**
 * Stamps of publicly readable resources, from which their versions follow (HTTP ETag and Last-Modified). A stamp is read in the same
 * statement as the resource or before it, never after it.
 */
import type { Version } from '../platform/http/conditional.js';

/**
 * An SQL expression for a stamp as one text, to be parsed by `readStamp`.
 * @param tags SQL expressions that make up the tag
 * @param changedAt an SQL expression for the time of the last change
 */
export function stampText(tags: readonly string[], changedAt: string): string {
  // With operators, since `concat` looks up the types of its arguments in each execution.
  const tag = tags.map((part) => `coalesce(${part}::text, '')`).join(` || '.' || `);
  return `stamp_text(${tag}, ${changedAt})`;
}

/** The only longer transactions are imports, which renew their stamps every second. */
const RECENT_SECONDS = 5;

export function readStamp(text: string): Version {
  const [tag = '', changedAt, readAt, revision] = text.split(' ');
  const isRecent = Number(readAt) - Number(changedAt) < RECENT_SECONDS;
  return { tag, second: Math.floor(Number(changedAt)), isRecent, ...(revision !== undefined && { revision }) };
}

/** SQL join for queries whose result shows articles `a`: the counters of what readers do with them. */
export const JOIN_COUNTS = 'left join article_counts r on r.article_id = a.id';

/** SQL joins for the stamp `v` of articles `a` with everything shown with them; requires JOIN_COUNTS. */
export const JOIN_STAMP = `left join translation_groups g on g.id = a.translation_group_id
  cross join lateral stamp_of(a.revised_at, a.discussed_at, r.changed_at, g.changed_at) v`;

/** Stamp of an article `a`; requires JOIN_STAMP. */
export const ARTICLE_STAMP = `stamp_text(v.tag, v.changed_at) || ' ' || a.revision`;

/** As ARTICLE_STAMP, for a response to a slug: after the deletion of its article, another one can have it. */
export const SLUG_STAMP = `stamp_text(a.id || '.' || v.tag, v.changed_at) || ' ' || a.revision`;

/** Stamp of the comments on an article `a`. */
export const DISCUSSION_STAMP = '(select stamp_text(v.tag, v.changed_at) from stamp_of(a.discussed_at) v)';

/** A query for the stamp of everything that lists can show. */
export const JOURNAL_STAMP = 'select stamp_text(j.tag, j.changed_at) from journal_stamp() j';

/** The timeline of PostgreSQL changes with a promotion, and with a recovery to a point in time, after which numbers are given again. */
export const GENERATION = `coalesce(f.generation, '000000000000') || left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/**
 * Whether a change waits for its number, other than one of a private article that the feed does not have, which readers must not notice. Of many, only
 * the oldest are looked at.
 */
const HAS_WAITING_CHANGE = `exists (
  select from (select * from change_log order by id limit 100) l
  where l.type not in ('article', 'comment')
    or exists (select from articles a where a.id = coalesce(l.article_id, l.object_id))
    or exists (select from changes c where c.type = 'article' and c.id = coalesce(l.article_id, l.object_id) and not c.is_removed))`;

/**
 * A query for the stamp of the feed of changes: its numbers, which change with everything that it shows. Null while a change waits for its number. The time
 * of the last change is not known.
 */
export const CHANGES_STAMP = `select ${stampText(
  [GENERATION, 'f.highest', 'f.expired', 'microseconds_of((select changed_at from name_stamps))'],
  "timestamptz 'infinity'",
)} from (select) o left join change_feed f on true where not ${HAS_WAITING_CHANGE}`;

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
  | 'changes'
  | 'names'
  | 'profile'
  | 'nickname';

export interface StampKey {
  readonly kind: StampKind;
  /** 0 for `journal`, `changes` and `names`; a text for TEXT_KINDS. */
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
      join articles a on a.id = s.article_id ${condition} ${JOIN_COUNTS} ${JOIN_STAMP}`;

/**
 * For each kind, a query for the stamps of some ids (an SQL expression of type bigint[]): columns kind, id, stamp. A kind without ids
 * returns its row for the id 0. TEXT_KINDS take text[], and return the position of each in place of an id.
 */
export const STAMP_QUERIES: Readonly<Record<StampKind, (ids: string) => string>> = {
  article: (ids) => `select 'article' as kind, a.id, ${ARTICLE_STAMP} as stamp
    from articles a ${JOIN_COUNTS} ${JOIN_STAMP} where a.id = any(${ids})`,
  slug: (slugs) => bySlug('slug', slugs),
  address: (slugs) => bySlug('address', slugs, 'and a.slug = s.slug'),
  discussion: (ids) =>
    `select 'discussion' as kind, a.id, ${DISCUSSION_STAMP} as stamp from articles a where a.id = any(${ids})`,
  summary: (ids) => `select 'summary' as kind, a.id, stamp_text(v.tag, v.changed_at) as stamp
    from articles a left join article_summaries s on s.article_id = a.id ${JOIN_COUNTS}
      left join translation_groups g on g.id = a.translation_group_id
      cross join lateral stamp_of(a.revised_at, a.discussed_at, r.changed_at, g.changed_at, s.changed_at) v
    where a.id = any(${ids})`,
  thread: (ids) => `select 'thread' as kind, c.id, ${DISCUSSION_STAMP} as stamp
    from comments c join articles a on a.id = c.article_id where c.id = any(${ids})`,
  journal: (ids) => `select 'journal' as kind, z.id, (${JOURNAL_STAMP}) as stamp from unnest(${ids}) as z(id)`,
  changes: (ids) =>
    `select 'changes' as kind, z.id, s.stamp from unnest(${ids}) as z(id) cross join lateral (${CHANGES_STAMP}) s(stamp)`,
  names: (ids) => `select 'names' as kind, z.id, stamp_text(v.tag, v.changed_at) as stamp
    from unnest(${ids}) as z(id) cross join stamp_of() v`,
  profile: (
    ids,
  ) => `select 'profile' as kind, c.member_id as id, stamp_text(c.member_id || '.' || v.tag, v.changed_at) as stamp
    from member_counts c cross join lateral stamp_of(c.profile_changed_at) v where c.member_id = any(${ids})`,
  nickname: (
    nicknames,
  ) => `select 'nickname' as kind, w.position as id, stamp_text(c.member_id || '.' || v.tag, v.changed_at) as stamp
    from unnest(${nicknames}) with ordinality as w(nickname, position) join members m on lower(m.nickname) = lower(w.nickname)
      join member_counts c on c.member_id = m.id cross join lateral stamp_of(c.profile_changed_at) v`,
};
