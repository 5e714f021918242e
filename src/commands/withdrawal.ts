/** Deletes an account and the data about its member in one transaction. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import { Member } from '../models/member/member.js';
import { removeLater } from './image.js';

/** The profile image of a member and the images of the articles deleted with it. */
export const IMAGES_OF_MEMBER = statement<[memberId: number], { key: string }>(
  'images_of_member',
  `select profile_image as key from members where id = $1 and profile_image is not null
   union all select image from articles where member_id = $1 and image is not null`,
);

/** The keys of imported members are hashes of emails and names, which can be guessed. */
const FORGET_IMPORT = statement<[memberId: number]>(
  'forget_import',
  `delete from imported_records where kind = 'member' and row_id = $1`,
);

/**
 * Foreign keys cascade to sessions, categories, styles, notifications and their settings, counters, and articles with
 * their comments and tags. The member's comments on articles of other members remain without an author.
 * @param passwordHash the hash that the member's password was checked against
 * @throws AppError UNAUTHENTICATED if it is no longer the current hash, or the member has already been deleted
 */
export async function removeMember(
  database: Database,
  id: number,
  passwordHash: string | null,
  transaction: Transaction,
): Promise<void> {
  const member = await Member.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!member || member.passwordHash !== passwordHash) throw new AppError('UNAUTHENTICATED');
  const images = await database.query(IMAGES_OF_MEMBER, [id], transaction);
  await removeLater(
    database,
    images.map(({ key }) => key),
    transaction,
  );
  await database.query(FORGET_IMPORT, [id], transaction);
  await member.destroy({ transaction });
}
