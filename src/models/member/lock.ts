/** Row lock per member: a count taken before an insert stays valid until the transaction ends (quota checks). */
import type { Transaction } from 'sequelize';
import type { Database } from '../../database/pool.js';
import { statement } from '../../database/statement.js';
import { AppError } from '../../errors.js';

/** Locks the row in member_counts, not the one in members, so that logins and reads do not block. Values: member id. */
const LOCK_MEMBER = statement<{ id: number }>(
  'lock_member_counts',
  'select member_id as id from member_counts where member_id = $1 for update',
);

/** Blocks other transactions that lock the same member, until this one ends. @throws AppError UNAUTHENTICATED if the member has withdrawn */
export async function lockMember(database: Database, memberId: number, transaction: Transaction): Promise<void> {
  const [member] = await database.query(LOCK_MEMBER, [memberId], transaction);
  if (!member) throw new AppError('UNAUTHENTICATED');
}
