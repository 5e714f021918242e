/** Creates accounts: a member with the default category, for every registration method. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import { skeletonOf } from '../display-name/skeleton.js';
import { AppError } from '../errors.js';
import type { Language } from '../messages/message.js';
import { Category, DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { Member, type MemberRow } from '../models/member/member.js';
import { freeNickname } from '../models/member/nickname.js';
import { type Admission, useInvitation } from './invitation.js';

export interface NewAccount {
  email: string | null;
  passwordHash: string | null;
  memberName: string;
  /** Null: derived from the member name and made unique. */
  nickname: string | null;
  bio?: string;
  /** Set if a confirmation of the address has to follow. */
  pendingSince?: Date | null;
  /** Default: English. */
  language?: Language;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

export const REGISTRATION_ATTEMPTS = 5;

/**
 * @param withAccount ends the transaction
 * @throws AppError EMAIL_TAKEN, NICKNAME_TAKEN, TOKEN_INVALID
 */
export async function register(
  database: Database,
  account: NewAccount,
  admission: Admission = null,
  withAccount: (account: MemberRow, transaction: Transaction) => Promise<void> = async () => {},
): Promise<MemberRow> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.inTransaction(async (transaction) => {
        await useInvitation(database, admission, transaction);
        const created = await insertAccount(database, account, transaction);
        await withAccount(created, transaction);
        return created;
      });
    } catch (error) {
      const isTaken = error instanceof AppError && error.key === 'NICKNAME_TAKEN';
      // A concurrent request took the nickname. Retry only if it was generated, not chosen by the client.
      if (!isTaken || account.nickname !== null || attempt === REGISTRATION_ATTEMPTS) throw error;
    }
  }
}

/** One attempt, as part of a transaction. */
export async function insertAccount(
  database: Database,
  { nickname: chosen, createdAt, ...account }: NewAccount,
  transaction: Transaction,
): Promise<MemberRow> {
  const nickname = chosen ?? (await freeNickname(database, account.memberName, transaction));
  const member = await Member.create(
    { ...account, nickname, nicknameSkeleton: skeletonOf(nickname), ...timestamps(createdAt) },
    { transaction, ...timestampOptions(createdAt) },
  );
  await Category.create({ memberId: member.id, name: DEFAULT_CATEGORY_NAME, isDefault: true }, { transaction });
  return { ...member.get(), bio: member.bio ?? '', profileImage: null, emailVerified: false };
}
