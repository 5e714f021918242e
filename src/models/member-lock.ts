/** Lets a member do one thing at a time: what is counted before something is added stays true until it is. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';

/** The counters' row, not the member's own: logging in and reading do not wait for it. Values: member id. */
const LOCK_MEMBER = statement<{ id: number }>(
  'lock_member_counts',
  'select member_id as id from member_counts where member_id = $1 for update',
);

/** Until the transaction ends nobody else gets past this for the member. @throws AppError UNAUTHENTICATED where they have withdrawn */
export async function lockMember(database: Database, memberId: number, transaction: Transaction): Promise<void> {
  const [member] = await database.query(LOCK_MEMBER, [memberId], transaction);
  if (!member) throw new AppError('UNAUTHENTICATED');
}
