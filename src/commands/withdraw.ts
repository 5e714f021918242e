/** Deletes an account and the data about its member. */
import type { Transaction } from 'sequelize';
import { REMOVE_RECEIVED_COMMENTS } from '../models/comment/removal.js';
import { IMAGES_OF_MEMBER } from '../models/image.js';
import { DELETE_IMPORT_RECORD } from '../models/member/claim.js';
import { MEMBERS } from '../models/member/member.js';
import { LOCK_ARTICLES, LOCK_COMMENTED_ARTICLES, REMOVALS } from '../models/member/removal.js';
import { LOCK_TAGS_OF_MEMBER } from '../models/tag.js';
import type { Database } from '../platform/database/pool.js';
import type { Viewer } from '../services/auth/policy.js';
import { enqueueImageRemoval } from './image.js';
import { lockAccount } from './login-methods.js';

/**
 * Foreign keys cascade to sessions, API tokens, passkeys, share links, categories, series, styles, notifications and their settings, counters, and articles with
 * their comments and tags. The member's comments on articles of other members remain without an author.
 * @param passwordHash from requireProof
 * @throws the errors of `lockAccount`
 */
export function withdraw(database: Database, viewer: Viewer, passwordHash: string | null): Promise<void> {
  return deleteInParts(database, viewer.memberId, async (transaction) => {
    await lockAccount(database, viewer, passwordHash, transaction, { isForSuspended: true });
  });
}

/**
 * The same by an operator.
 * @param recording the database in whose transactions the event is recorded
 * @throws AppError MEMBER_NOT_FOUND if the member has already been deleted
 */
export function deleteMember(database: Database, recording: Database, memberId: number): Promise<void> {
  const lock = async (transaction: Transaction) => {
    await MEMBERS.lock(database, memberId, transaction, () => {});
  };
  return deleteInParts(database, memberId, lock, recording);
}

/** Rows of one transaction, whose counters it locks. */
const BATCH = 1_000;

/**
 * What can concern a hundred thousand other members is deleted before the account, in short transactions. If the process ends meanwhile, the
 * member can repeat the request.
 * @param lock locks the row of the member, in each of them
 * @param last has the transaction that deletes the account
 */
async function deleteInParts(
  database: Database,
  memberId: number,
  lock: (transaction: Transaction) => Promise<void>,
  last = database,
): Promise<void> {
  for (const removal of [...REMOVALS, REMOVE_RECEIVED_COMMENTS]) {
    for (let removed = BATCH; removed === BATCH; ) {
      removed = await database.inTransaction(async (transaction) => {
        await lock(transaction);
        const [found] = await database.query(removal, [memberId, BATCH], transaction);
        return found?.removed ?? 0;
      });
    }
  }
  await last.inTransaction(async (transaction) => {
    await lock(transaction);
    await deleteAccount(database, memberId, transaction);
  });
}

/** The transaction must have locked the row of the member. */
async function deleteAccount(database: Database, memberId: number, transaction: Transaction): Promise<void> {
  const images = await database.query(IMAGES_OF_MEMBER, [memberId], transaction);
  const keys = images.map(({ key }) => key);
  await enqueueImageRemoval(database, keys, transaction);
  await database.query(DELETE_IMPORT_RECORD, [memberId], transaction);
  await database.query(LOCK_COMMENTED_ARTICLES, [memberId], transaction);
  await database.query(LOCK_ARTICLES, [memberId], transaction);
  await database.query(LOCK_TAGS_OF_MEMBER, [memberId], transaction);
  await MEMBERS.delete(database, memberId, transaction);
}
