/** Creates accounts: a member with the default category, for every registration method. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import { skeletonOf } from '../display-name/skeleton.js';
import { Category, DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { Member, type MemberRow } from '../models/member/member.js';
import { freeNickname } from '../models/member/nickname.js';

export interface NewAccount {
  email: string | null;
  passwordHash: string | null;
  memberName: string;
  /** Null: derived from the member name and made unique. */
  nickname: string | null;
  bio?: string;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** @throws the unmapped database error for unique violations */
export async function createAccount(
  database: Database,
  { nickname: wanted, createdAt, ...account }: NewAccount,
  transaction: Transaction,
): Promise<MemberRow> {
  const nickname = wanted ?? (await freeNickname(database, account.memberName, transaction));
  const member = await Member.create(
    { ...account, nickname, nicknameSkeleton: skeletonOf(nickname), ...timestamps(createdAt) },
    { transaction, ...timestampOptions(createdAt) },
  );
  await Category.create({ memberId: member.id, name: DEFAULT_CATEGORY_NAME, isDefault: true }, { transaction });
  return { ...member.get(), bio: member.bio ?? '', profileImage: null };
}
