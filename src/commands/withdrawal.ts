/** The end of an account: everything that is about the member goes, in one transaction. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import { Member } from '../models/member.js';
import { removeLater } from './image.js';

/** The images of a member and of the articles that go too. Values: member id. */
export const IMAGES_OF_MEMBER = statement<{ key: string }>(
  'images_of_member',
  `select profile_image as key from members where id = $1 and profile_image is not null
   union all select image from articles where member_id = $1 and image is not null`,
);

/** The keys of imported members are hashes of emails and names, which can be guessed. Values: member id. */
const FORGET_IMPORT = statement<never>(
  'forget_import',
  `delete from imported_records where kind = 'member' and row_id = $1`,
);

/**
 * Foreign keys take sessions, categories, styles, notifications and their switches, counters, and articles with their
 * comments and tags along, and leave the member's comments on other people's articles without an author.
 * @param passwordHash the one that the member's password was checked against
 * @throws AppError UNAUTHENTICATED where it is not the current one any more, or somebody was first
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
