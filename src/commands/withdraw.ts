/** Deletes an account and the data about its member. */
import type { Transaction } from 'sequelize';
import type { Viewer } from '../auth/policy.js';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import { Member } from '../models/member/member.js';
import { enqueueImageRemoval } from './image.js';
import { lockAccount } from './login-methods.js';

/** The profile image of a member, the images of the articles deleted with it, and those for their content. */
export const IMAGES_OF_MEMBER = statement<[memberId: number], { key: string }>(
  'images_of_member',
  `select profile_image as key from members where id = $1 and profile_image is not null
   union all select image from articles where member_id = $1 and image is not null
   union all select key from images where member_id = $1`,
);

/** The keys of imported members are hashes of emails and names, which can be guessed. */
const DELETE_IMPORT_RECORD = statement<[memberId: number]>(
  'delete_import_record',
  `delete from imported_records where kind = 'member' and row_id = $1`,
);

/**
 * Foreign keys cascade to sessions, API tokens, passkeys, categories, styles, notifications and their settings, counters, and articles with
 * their comments and tags. The member's comments on articles of other members remain without an author.
 * @param passwordHash from requireProof
 * @throws the errors of `lockAccount`
 */
export function withdraw(database: Database, viewer: Viewer, passwordHash: string | null): Promise<void> {
  const { memberId } = viewer;
  return database.inTransaction(async (transaction) => {
    await lockAccount(database, viewer, passwordHash, transaction);
    await deleteAccount(database, memberId, transaction);
  });
}

/** The same by an operator. @throws AppError MEMBER_NOT_FOUND if the member has already been deleted */
export function deleteMember(database: Database, memberId: number): Promise<void> {
  return database.inTransaction(async (transaction) => {
    await lockForUpdate(Member, memberId, 'MEMBER_NOT_FOUND', transaction, () => {});
    await deleteAccount(database, memberId, transaction);
  });
}

/** The transaction must have locked the row of the member. */
async function deleteAccount(database: Database, memberId: number, transaction: Transaction): Promise<void> {
  const images = await database.query(IMAGES_OF_MEMBER, [memberId], transaction);
  const keys = images.map(({ key }) => key);
  await enqueueImageRemoval(database, keys, transaction);
  await database.query(DELETE_IMPORT_RECORD, [memberId], transaction);
  await Member.destroy({ where: { id: memberId }, transaction });
}
