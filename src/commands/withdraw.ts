/** Deletes an account and the data about its member. */
import { PLACED_IMAGES_OF_MEMBER } from '../models/image.js';
import { DELETE_IMPORT_RECORD } from '../models/member/claim.js';
import { MEMBERS } from '../models/member/member.js';
import { LOCK_ARTICLES, LOCK_NOTIFICATION_COUNTS } from '../models/member/removal.js';
import { LOCK_TAGS_OF_MEMBER } from '../models/tag.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { memberTurn } from '../platform/database/queue.js';
import type { Viewer } from '../services/auth/policy.js';
import { enqueueImageRemoval } from './image.js';
import { lockAccount } from './login-methods.js';

/**
 * Foreign keys cascade to sessions, API tokens, passkeys, share links, categories, series, styles, drafts, bookmarks, blocks, settings, counters and
 * articles. A job does the rest (docs/decisions/withdrawal.md). The member's comments on articles of other members remain without an author.
 * @param passwordHash from requireProof
 * @throws the errors of `lockAccount`
 */
export function withdraw(database: Database, viewer: Viewer, passwordHash: string | null): Promise<void> {
  return database.transaction(async (db) => {
    await lockAccount(db, viewer, passwordHash, { isForSuspended: true });
    await deleteAccount(db, viewer.memberId);
  });
}

/**
 * The same by an operator.
 * @throws AppError MEMBER_NOT_FOUND if the member has already been deleted
 */
export function deleteMember(database: Database, memberId: number): Promise<void> {
  return database.transaction(async (db) => {
    await MEMBERS.lock(db, memberId, () => {});
    await deleteAccount(db, memberId);
  });
}

/** The transaction must have locked the row of the member. */
async function deleteAccount(db: Transaction, memberId: number): Promise<void> {
  const images = await db.query(PLACED_IMAGES_OF_MEMBER, [memberId]);
  const keys = images.map(({ key }) => key);
  await enqueueImageRemoval(db, keys, memberTurn(memberId));
  await db.query(DELETE_IMPORT_RECORD, [memberId]);
  await db.query(LOCK_ARTICLES, [memberId]);
  await db.query(LOCK_TAGS_OF_MEMBER, [memberId]);
  await db.query(LOCK_NOTIFICATION_COUNTS, [memberId]);
  await MEMBERS.delete(db, memberId);
}
