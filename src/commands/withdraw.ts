/** Deletes an account and the data about its member. */
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import { Member } from '../models/member/member.js';
import { enqueueImageRemoval } from './image.js';

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
 * @param passwordHash the hash that the member's password was checked against
 * @throws AppError UNAUTHENTICATED if it is no longer the current hash, or the member has already been deleted
 */
export function withdraw(database: Database, memberId: number, passwordHash: string | null): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const member = await lockForUpdate(Member, memberId, 'UNAUTHENTICATED', transaction, (locked) => {
      if (locked.passwordHash !== passwordHash) throw new AppError('UNAUTHENTICATED');
    });
    const images = await database.query(IMAGES_OF_MEMBER, [memberId], transaction);
    const keys = images.map(({ key }) => key);
    await enqueueImageRemoval(database, keys, transaction);
    await database.query(DELETE_IMPORT_RECORD, [memberId], transaction);
    await member.destroy({ transaction });
  });
}
