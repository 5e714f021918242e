/** Comments that wait for approval: statements that hold, show and delete them. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { isModerator } from '../moderation/role.js';
import type { Reader } from '../reader.js';
import { COMMENT, COMMENTS, type CommentRow, DELETE_EMPTY_PARENT, type LockedComment } from './comment.js';
import { WITH_MENTIONS } from './create.js';
import { JOIN_ARTICLE, JOIN_SEEN, readerTable, seesHeld } from './visibility.js';

export const MAX_HELD = fixedLimit({
  area: 'Writing',
  about: 'Comments of a member that wait for approval at the same time.',
  value: 100,
  error: 'HELD_LIMIT_REACHED',
});

export const MAX_HELD_FOR_AUTHOR = fixedLimit({
  area: 'Writing',
  about: 'Comments of a member on articles of the same author that wait for approval at the same time.',
  value: 20,
  error: 'HELD_LIMIT_REACHED',
});

/** A condition, which fails with HELD_LIMIT_REACHED: one more comment may be held. It is exact until the transaction ends. */
const requireFewHeld = (memberId: string, articleAuthorId: string): string =>
  `require_few_held(${memberId}, ${articleAuthorId}, ${MAX_HELD}, ${MAX_HELD_FOR_AUTHOR})`;

/** Why a comment may have to wait for approval. */
export interface CommentCheck {
  /** Whatever its member has written before. */
  readonly isSuspect: boolean;
  /** If its member has no approved comment. */
  readonly isForNewcomers: boolean;
  /** From 0 to 1; null without a model. */
  readonly spamScore: number | null;
}

/** Held comments by id, as a reader sees them. */
export const HELD_COMMENTS_BY_ID = statement<[ids: readonly number[], reader: Reader], CommentRow>(
  'held_comments_by_id',
  `select ${COMMENT.select} from all_comments c cross join ${readerTable('$2::reader')} ${JOIN_ARTICLE} ${JOIN_SEEN}
   where c.id = any($1::bigint[]) and c.held_at is not null and ${seesHeld('v.r')}`,
);

/** Any comment that is not held counts as approved, except on the member's own articles, where none is ever held. */
const IS_NEWCOMER = (memberId: string) =>
  `not exists (select from comments k where k.member_id = ${memberId} and k.received_by is not null and not k.is_hidden
     and k.removed_at is null)`;

/** A condition. The parameters are those of a CommentCheck. */
const mustBeHeld = (memberId: string, articleAuthorId: string, isSuspect: string, isForNewcomers: string): string =>
  `${memberId} <> ${articleAuthorId} and (${isSuspect}::boolean or ${isForNewcomers}::boolean and ${IS_NEWCOMER(memberId)})
     and not ${isModerator(memberId)}`;

const MUST_BE_HELD = statement<
  [articleId: number, memberId: number, isSuspect: boolean, isForNewcomers: boolean],
  { isHeld: boolean }
>(
  'must_comment_be_held',
  `select ${mustBeHeld('$2::bigint', 'a.member_id', '$3', '$4')} as "isHeld" from all_articles a where a.id = $1`,
);

/** Whether a new or edited comment has to be held. */
export async function mustBeHeldNow(
  db: Transaction,
  { articleId, memberId }: Pick<LockedComment, 'articleId' | 'memberId'>,
  { isSuspect, isForNewcomers }: CommentCheck,
): Promise<boolean> {
  const values = [articleId, memberId ?? 0, isSuspect, isForNewcomers] as const;
  const [found] = await db.query(MUST_BE_HELD, [...values]);
  return found?.isHeld === true;
}

/** All columns of the table are copied by their names. */
const COPY_TO_HELD = statement<[id: number, content: string, spamScore: number | null]>(
  'copy_to_held_comments',
  `insert into held_comments
   select r.* from comments c cross join jsonb_populate_record(null::held_comments, to_jsonb(c) || jsonb_build_object(
     'held_at', clock_timestamp(), 'spam_score', $3::real, 'content', $2::text, 'revision', c.revision + 1,
     'updated_at', clock_timestamp(), 'reply_count', 0)) r
   where c.id = $1`,
);

/** Fails with HELD_LIMIT_REACHED. */
export const REQUIRE_FEW_HELD = statement<[memberId: number | null, articleAuthorId: number | null]>(
  'require_few_held',
  `select where ${requireFewHeld('$1', '$2')}`,
);

/** The comment that a held one replies to, which is not deleted until the transaction ends. No row if it was deleted or removed. */
export const LOCK_PARENT_OF_NEW = statement<[id: number], { id: number }>(
  'lock_parent_of_new',
  'select id from comments where id = $1 and deleted_at is null and removed_at is null for share',
);

/** The comment that the row replies to, locked; `isPlace`: it is deleted or held. */
const LOCK_PARENT = statement<[id: number], { isPlace: boolean }>(
  'lock_parent_of_held',
  'select deleted_at is not null as "isPlace" from comments where id = $1 for no key update',
);

/**
 * Holds a comment with its new content. One with replies keeps its place, as a deleted one does, and so does a reply to such a place, since no
 * other reply could be added to it.
 * @throws AppError HELD_LIMIT_REACHED
 */
export async function holdComment(
  db: Transaction,
  comment: LockedComment,
  { content, spamScore }: { content: string; spamScore: number | null },
): Promise<void> {
  const [parent] = comment.parentId === null ? [] : await db.query(LOCK_PARENT, [comment.parentId]);
  await db.query(REQUIRE_FEW_HELD, [comment.memberId, comment.receivedBy]);
  await db.query(COPY_TO_HELD, [comment.id, content, spamScore]);
  if (comment.replyCount === 0 && !parent?.isPlace) return COMMENTS.delete(db, comment.id);
  const changes = { content: '', memberId: null, deletedAt: new Date(db.now()) };
  await COMMENTS.update(db, comment, changes);
}

/** Changes the content of a comment that stays held. */
export const EDIT_HELD_COMMENT = statement<[id: number, content: string, spamScore: number | null]>(
  'edit_held_comment',
  `update held_comments set content = $2, spam_score = $3, revision = revision + 1, updated_at = clock_timestamp() where id = $1`,
);

/** Moves a held comment to the comments. It returns to its place if it has one. A reply to a comment that is held itself violates the constraint for new replies. */
export const SHOW_HELD_COMMENT = statement<
  [id: number, mentioned: readonly number[], notified: readonly number[], types: readonly string[]]
>(
  'show_held_comment',
  `with held as (
    delete from held_comments where id = $1 returning *
  ), returned as (
    update comments c
    set member_id = h.member_id, content = h.content, updated_at = h.updated_at, is_hidden = h.is_hidden, revision = h.revision,
      deleted_at = null
    from held h where c.id = h.id returning c.*
  ), added as (
    insert into comments overriding system value
    select r.* from held h cross join jsonb_populate_record(null::comments, to_jsonb(h)) r
    where not exists (select from returned)
    returning *
  ), created as (
    select * from returned union all select * from added
  ), ${WITH_MENTIONS('$2', '$3', '$4')}
  select`,
);

const DELETE_HELD_COMMENT = statement<[id: number]>('delete_held_comment', 'delete from held_comments where id = $1');

/** Deletes a held comment that is locked; its place, unless it has replies; and the place that it replied to, if that has no other reply. */
export async function deleteHeldComment(db: Transaction, { id, parentId }: LockedComment): Promise<void> {
  await db.query(DELETE_HELD_COMMENT, [id]);
  await db.query(DELETE_EMPTY_PARENT, [id]);
  if (parentId !== null) await db.query(DELETE_EMPTY_PARENT, [parentId]);
}
