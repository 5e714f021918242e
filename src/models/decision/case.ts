/** What a decision is about: its author, and its open reports. */
import { statement } from '../../platform/database/statement.js';
import type { Language } from '../../platform/messages/message.js';
import { IS_PENDING } from '../member/member.js';
import type { RoleOfMember } from '../moderation/role.js';
import { type Suspension, suspensionOf } from '../moderation/suspension.js';
import { hasAccessSql } from '../session/access.js';

type TargetIds = [articleId: number | null, commentId: number | null, memberId: number | null];

/**
 * No row if there is no such target. `authorId`: the member concerned; null if the author withdrew. `articleAuthorId`: of the article of a comment.
 * `isRemoved`: or its article is, so that moderators see it.
 */
export const FIND_TARGET = statement<
  TargetIds,
  { authorId: number | null; articleAuthorId: number | null; isRemoved: boolean }
>(
  'find_moderation_target',
  `select member_id as "authorId", null as "articleAuthorId", removed_at is not null as "isRemoved" from all_articles where id = $1
   union all select c.member_id, a.member_id, c.removed_at is not null or a.removed_at is not null
     from all_comments c join all_articles a on a.id = c.article_id where c.id = $2 and c.deleted_at is null
   union all select id, null, false from members where id = $3 and not (${IS_PENDING})`,
);

/** The length of the text that a removal or restoration moves in the search index: of an article, or of that of an appeal. No row for other targets. */
export const BYTES_OF_TARGET = statement<
  [articleId: number | null, appealedDecisionId: number | null],
  { bytes: number }
>(
  'bytes_of_moderation_target',
  `select octet_length(content) as bytes from all_articles
   where id = coalesce($1, (select d.article_id from decisions d where d.id = $2))`,
);

export interface ConcernedMember extends RoleOfMember {
  suspension: Suspension | null;
  /** Of emails. */
  language: Language;
}

/**
 * The members whom a decision concerns, and the author of the article of a comment, with their roles, locked in the order of their ids until the transaction ends: a change of a role or a
 * suspension, and the end of a session, come before it or after it. Writes of these members go on.
 */
export const LOCK_CONCERNED = statement<[memberIds: readonly (number | null)[]], ConcernedMember>(
  'lock_concerned_members',
  `select m.id, m.role, m.language, ${suspensionOf('m')} as suspension from members m where m.id = any($1::bigint[]) order by m.id for no key update`,
);

/** A statement after the lock, since it does not see what was committed while the lock was waited for. */
export const HAS_ACCESS = statement<[credentialId: string], { hasAccess: boolean }>(
  'has_access',
  `select ${hasAccessSql('$1')} as "hasAccess"`,
);

/** Under the locks of a decision. */
export const REVISION_OF_TARGET = statement<TargetIds, { revision: string }>(
  'revision_of_moderation_target',
  'select v.revision from revision_of_target($1, $2, $3) v',
);

export interface LockedCase {
  id: number;
  /** Reports up to this one are decided. */
  decidedId: number;
  isOpen: boolean;
}

/** Of two decisions on the same reports, the second waits, and finds none. */
export const LOCK_CASE = statement<TargetIds, LockedCase>(
  'lock_moderation_case',
  `select id, decided_id as "decidedId", opened_at is not null as "isOpen" from moderation_cases
   where article_id = $1 or comment_id = $2 or member_id = $3 for update`,
);

/** The reports are decided. `isSpam`: whether one of those after `decidedId` gives this reason. */
export const CLOSE_CASE = statement<[id: number, decidedId: number], { isSpam: boolean }>(
  'close_moderation_case',
  `update moderation_cases k
   set opened_at = null, decided_id = coalesce((select max(r.id) from reports r where r.case_id = k.id), 0)
   where k.id = $1
   returning exists (select from reports r where r.case_id = $1 and r.id > $2 and r.reason = 'SPAM') as "isSpam"`,
);
