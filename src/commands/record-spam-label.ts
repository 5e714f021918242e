/** Records a decision on whether a text is spam. */
import type { Transaction } from 'sequelize';
import { LEARN_SPAM, RECORD_LABEL } from '../models/spam.js';
import type { Database } from '../platform/database/pool.js';
import { addJobs } from '../platform/database/queue.js';

export interface SpamLabel {
  text: string;
  isSpam: boolean;
  /** Who wrote it; null if they withdrew. */
  memberId: number | null;
  /** Null for an operator. */
  deciderId: number | null;
}

/** One job learns all labels that wait. */
export async function recordSpamLabel(
  database: Database,
  { text, isSpam, memberId, deciderId }: SpamLabel,
  transaction: Transaction,
): Promise<void> {
  await database.query(RECORD_LABEL, [text, isSpam, memberId, deciderId], transaction);
  await addJobs(database, LEARN_SPAM, [{}], { transaction, keyOf: () => 'all' });
}
