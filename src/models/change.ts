/**
 * The feed of changes (docs/decisions/changes.md): its pages, its numbers, and what operators do with it. Everything is read as an anonymous reader sees it.
 * The tables, and the functions that these statements call, are in migrations/0001/15-changes.sql.
 */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { AppError, invalid } from '../platform/errors.js';
import type { Version } from '../platform/http/conditional.js';
import { createMessage } from '../platform/messages/message.js';
import { BEFORE_ALL, type ChangeCursor, LATEST, parseChangeCursor, writeChangeCursor } from './change-cursor.js';
import { CHANGES_STAMP, GENERATION, readStamp } from './stamp.js';

export const CHANGE_TYPES = ['article', 'comment', 'member', 'category', 'series'] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];

export const MAX_CHANGES = 500;

export const DEFAULT_CHANGES = 100;

const MAX_TEXT_BYTES = fixedLimit({
  area: 'GraphQL',
  about: 'Texts of the articles in a page of changes with data. The other changes are in the next page.',
  value: 2 * 1024 * 1024,
  unit: 'bytes',
  error: null,
});

/** Rows of the log that one transaction gives numbers to. */
export const CHANGES_OF_ROUND = fixedLimit({
  area: 'Database',
  about:
    'Changes of one second that are in the feed of changes within two seconds. More of them wait for the next seconds.',
  value: 10_000,
  error: null,
});

/** An entry of the feed. A removed object has no revision. */
export interface Change {
  type: ChangeType;
  id: number;
  action: 'created' | 'updated' | 'removed';
  changedAt: Date | string;
  /** Of an article: the current one; after its removal, the last one that was public. */
  slug: string | null;
  /** Of a comment, as `parentId`. */
  articleId: number | null;
  parentId: number | null;
  revision: number | null;
}

/** With the part of a cursor after it. */
interface PlacedChange extends Change {
  readonly end: Pick<ChangeCursor, 'position' | 'inside'>;
}

export interface ChangePage {
  changes: PlacedChange[];
  /** The cursor after one of the changes. */
  cursorAfter(change: PlacedChange): string;
  cursor: string;
  hasMore: boolean;
  /** Null while a change waits for its number. */
  version: Version | null;
}

interface Feed {
  generation: string;
  highest: number;
  expired: number;
  isReady: boolean;
  stamp: string | null;
}

/** A place in the feed: the first one of an object, its last change, or that of all comments of an article. */
interface Place {
  number: number;
  kind: 'created' | 'latest' | 'comments';
  type: ChangeType;
  id: number;
  articleId: number | null;
  parentId: number | null;
  slug: string | null;
  isRemoved: boolean;
  changedAt: string;
  lostComments: boolean;
  /** Null if an anonymous reader does not see the object, or another place stands for it. */
  current: { slug?: string; revision?: number; bytes?: number } | null;
}

/**
 * Reads one entry more than a page has, which shows whether there is a next page. The first pass of a client lists each object once, at its creation. It skips later
 * changes up to `horizon`, because the entry of the creation already has the current state.
 */
export const READ_PLACES = statement<
  [after: number, isInside: boolean, horizon: number | null, types: readonly string[], limit: number],
  Feed & { places: Place[] }
>(
  'read_changes',
  `select ${GENERATION} as generation, coalesce(f.highest, 0) as highest, coalesce(f.expired, 0) as expired, coalesce(f.is_ready, true) as "isReady",
   (${CHANGES_STAMP}) as stamp, (
     select coalesce(json_agg(json_build_object(
       'number', p.number, 'kind', p.kind, 'type', c.type, 'id', c.id, 'articleId', c.article_id,
       'parentId', c.parent_id, 'slug', c.slug, 'isRemoved', c.is_removed, 'lostComments', c.lost_comments,
       'current', case when p.kind <> 'comments' and not c.is_removed then o.current end,
       'changedAt', case p.kind when 'created' then c.created_at when 'comments' then c.comments_at else c.changed_at end at time zone 'UTC'
     ) order by p.number), '[]')
     from places_of_changes($1, $2, coalesce($3, f.highest), $4, $5) p
       cross join lateral (select * from changes where type = p.type and id = p.id offset 0) c
       cross join lateral current_object(c.type, c.id, p.number) o
   ) as places
   from (select) one left join change_feed f on true`,
);

interface CommentOfPlace {
  id: number;
  parentId: number | null;
  revision: number;
  createdMs: number;
  /** Whether it is read here, and not from a place of its own. */
  isHere: boolean;
}

/** The comments of an article for which its place stands, after one of them. */
export const READ_COMMENTS = statement<
  [articleId: number, placeNumber: number, createdMs: number, id: number, limit: number],
  CommentOfPlace
>(
  'read_comments_of_change',
  `select m.id, m.parent_id as "parentId", m.revision, (extract(epoch from m.created_at) * 1000)::bigint as "createdMs",
     coalesce((select c.created_number from changes c where c.type = 'comment' and c.id = m.id) <= $2, true) as "isHere"
   from articles a join changes o on o.type = 'article' and o.id = a.id and o.comments_number = $2 and not o.is_removed
     join comments m on m.article_id = a.id
   where a.id = $1 and (m.created_at, m.id) > (timestamptz 'epoch' + $3::bigint * interval '1 millisecond', $4::bigint)
   order by m.created_at, m.id limit $5`,
);

export interface ChangesRequest {
  /** A cursor, `latest`, or null: everything that is public. */
  since: string | null;
  types: readonly ChangeType[];
  size: number;
  /** Whether the page is read with the texts of its articles. */
  withTexts?: boolean;
}

/** @throws AppError VALIDATION_FAILED, CURSOR_EXPIRED, SERVICE_UNAVAILABLE while the feed is being filled */
export async function readChanges(
  database: Database,
  { since, types, size, withTexts = false }: ChangesRequest,
): Promise<ChangePage> {
  const cursor = since === null || since === LATEST ? null : parseChangeCursor(since);
  if (cursor === undefined) throw invalid('since', createMessage('invalidChangeCursor'));
  const position = since === LATEST ? Number.MAX_SAFE_INTEGER : (cursor?.position ?? 0);
  const isInside = cursor !== null && cursor.inside !== null;
  const values = [position, isInside, cursor?.horizon ?? null, types, size + 1] as const;
  const [found] = await database.query(READ_PLACES, [...values]);
  if (!found) throw new Error('the feed of changes has no row');
  requireCurrent(found, cursor);
  return pageOf(database, found, { cursor, types, size, withTexts });
}

function requireCurrent({ generation, highest, expired, isReady }: Feed, cursor: ChangeCursor | null): void {
  if (!isReady)
    throw new AppError('SERVICE_UNAVAILABLE', { message: createMessage('changesAreFilled'), retryAfter: 10 });
  if (!cursor) return;
  if (cursor.generation !== generation || cursor.position > highest || cursor.horizon < expired)
    throw new AppError('CURSOR_EXPIRED');
}

/** The page ends with the first place that stands for comments, so that it has at most two statements. */
async function pageOf(
  database: Database,
  { generation, highest, stamp, places }: Feed & { places: Place[] },
  { cursor, types, size, withTexts }: Omit<ChangesRequest, 'since'> & { cursor: ChangeCursor | null },
): Promise<ChangePage> {
  const horizon = cursor?.horizon ?? highest;
  const changes: PlacedChange[] = [];
  let last: Pick<ChangeCursor, 'position' | 'inside'> | undefined;
  let isWhole = places.length <= size;
  let bytes = 0;
  for (const [index, place] of places.slice(0, size).entries()) {
    if (place.kind === 'comments') {
      const inside = cursor?.position === place.number ? cursor.inside : null;
      // With the removal, the page has one more than its size at most when that is 1.
      const isFirst = inside === null && place.number > horizon && place.lostComments && types.includes('article');
      if (isFirst && changes.length > 0 && changes.length >= size - 1) {
        isWhole = false;
        break;
      }
      if (isFirst) changes.push({ ...removalOf(place), end: { position: place.number, inside: BEFORE_ALL } });
      const limit = Math.max(1, size - changes.length);
      const from = inside ?? BEFORE_ALL;
      const values = [place.id, place.number, from.createdMs, from.id, limit] as const;
      const comments = await database.query(READ_COMMENTS, [...values]);
      const action = place.number > horizon ? 'updated' : 'created';
      changes.push(
        ...comments
          .filter(({ isHere }) => isHere)
          .map((comment) => ({
            ...changeOfComment(comment, place, action),
            end: { position: place.number, inside: { createdMs: comment.createdMs, id: comment.id } },
          })),
      );
      const end = comments.length === limit ? (comments.at(-1) ?? null) : null;
      last = { position: place.number, inside: end };
      isWhole &&= end === null && index === places.length - 1;
      break;
    }
    bytes += (withTexts && place.current?.bytes) || 0;
    if (bytes > MAX_TEXT_BYTES && changes.length > 0) {
      isWhole = false;
      break;
    }
    const change = changeAt(place);
    last = { position: place.number, inside: null };
    if (change) changes.push({ ...change, end: last });
  }
  const end = isWhole
    ? { position: highest, inside: null }
    : (last ?? { position: cursor?.position ?? 0, inside: null });
  const cursorAt = (at: typeof end) => writeChangeCursor({ ...at, generation, horizon: horizonAt(at, horizon) });
  return {
    changes,
    cursorAfter: (change) => cursorAt(change.end),
    cursor: cursorAt(end),
    hasMore: !isWhole,
    version: stamp === null ? null : readStamp(stamp),
  };
}

/** After the first pass, the position. */
function horizonAt({ position, inside }: Pick<ChangeCursor, 'position' | 'inside'>, horizon: number): number {
  return Math.max(horizon, inside ? position - 1 : position);
}

/** Null for what is not to be seen: a removal follows, or has been read. */
function changeAt({ kind, type, id, articleId, parentId, slug, isRemoved, changedAt, current }: Place): Change | null {
  if (!isRemoved && !current) return null;
  const action = isRemoved ? 'removed' : kind === 'created' ? 'created' : 'updated';
  return {
    type,
    id,
    action,
    changedAt,
    slug: current?.slug ?? slug,
    articleId,
    parentId,
    revision: current?.revision ?? null,
  };
}

function removalOf({ id, slug, changedAt }: Place): Change {
  return { type: 'article', id, action: 'removed', changedAt, slug, articleId: null, parentId: null, revision: null };
}

function changeOfComment(comment: CommentOfPlace, place: Place, action: Change['action']): Change {
  const { id, parentId, revision } = comment;
  return {
    type: 'comment',
    id,
    action,
    changedAt: place.changedAt,
    slug: null,
    articleId: place.id,
    parentId,
    revision,
  };
}

/** @returns the number of rows of the log; null if another process gives numbers at the moment */
export const NUMBER_CHANGES = statement<[most: number], { taken: number | null }>(
  'number_changes',
  'select number_changes($1) as taken',
);

/** Ends all cursors: a copy has to be made again. */
export const RENEW_GENERATION = statement<[]>(
  'renew_generation',
  `insert into change_feed (generation) values (new_generation())
   on conflict (is_only) do update set generation = excluded.generation`,
);

/** As RENEW_GENERATION; the feed is filled again from the journal. */
export const RESET_CHANGES = statement<[]>('reset_changes', 'select reset_changes()');

/** Removals of more than this time ago. */
export const DELETE_OLD_REMOVALS = statement<[retentionMs: number, limit: number], { deleted: number }>(
  'delete_old_removals',
  `select delete_old_removals($1 * interval '1 millisecond', $2) as deleted`,
);

export interface StateOfChanges {
  /** Changes without a number. */
  waiting: number;
  /** Age of the oldest of them; 0 if there is none. */
  oldestSeconds: number;
  /** Whether the feed of an existing journal is complete. */
  isReady: boolean;
}

export const STATE_OF_CHANGES = statement<[], StateOfChanges>(
  'state_of_changes',
  `select (select count(*) from change_log) as waiting, f.is_ready as "isReady",
     coalesce((select extract(epoch from clock_timestamp() - l.logged_at)::float8 from change_log l order by l.id limit 1), 0) as "oldestSeconds"
   from change_feed f`,
);
