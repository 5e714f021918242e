/** Deletes an account and the data about its member. */
import type { Transaction } from 'sequelize';
import { PLACED_IMAGES_OF_MEMBER } from '../models/image.js';
import { DELETE_IMPORT_RECORD } from '../models/member/claim.js';
import { MEMBERS } from '../models/member/member.js';
import { LOCK_ARTICLES, LOCK_NOTIFICATION_COUNTS } from '../models/member/removal.js';
import { LOCK_TAGS_OF_MEMBER } from '../models/tag.js';
import type { Database } from '../platform/database/pool.js';
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
  return database.inTransaction(async (transaction) => {
    await lockAccount(database, viewer, passwordHash, transaction, { isForSuspended: true });
    await deleteAccount(database, viewer.memberId, transaction);
  });
}

/**
 * The same by an operator.
 * @param recording the database in whose transaction the event is recorded
 * @throws AppError MEMBER_NOT_FOUND if the member has already been deleted
 */
export function deleteMember(database: Database, recording: Database, memberId: number): Promise<void> {
  return recording.inTransaction(async (transaction) => {
    await MEMBERS.lock(database, memberId, transaction, () => {});
    await deleteAccount(database, memberId, transaction);
  });
}

/** The transaction must have locked the row of the member. */
async function deleteAccount(database: Database, memberId: number, transaction: Transaction): Promise<void> {
  const images = await database.query(PLACED_IMAGES_OF_MEMBER, [memberId], transaction);
  const keys = images.map(({ key }) => key);
  await enqueueImageRemoval(database, keys, memberTurn(memberId), transaction);
  await database.query(DELETE_IMPORT_RECORD, [memberId], transaction);
  await database.query(LOCK_ARTICLES, [memberId], transaction);
  await database.query(LOCK_TAGS_OF_MEMBER, [memberId], transaction);
  await database.query(LOCK_NOTIFICATION_COUNTS, [memberId], transaction);
  await MEMBERS.delete(database, memberId, transaction);
}
