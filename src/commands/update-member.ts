/** Changes an account and its profile. */
import type { Transaction } from 'sequelize';
import { recordEvent } from '../auth/audit.js';
import type { Caller, Viewer } from '../auth/policy.js';
import { skeletonOf } from '../display-name/skeleton.js';
import type { PreparedImage } from '../images/store.js';
import { Member } from '../models/member/member.js';
import { END_OTHER_SESSIONS } from '../models/session/session.js';
import type { Services } from '../services.js';
import { enqueueImageRemoval, withImage } from './image.js';
import { lockAccount } from './login-methods.js';

/** Null and absent both mean unchanged. */
export interface MemberChange {
  memberName: string | null | undefined;
  nickname: string | null | undefined;
  bio: string | null | undefined;
  /** `previousHash`: the one that the current password was compared with; null for an account without a password. */
  password: { previousHash: string | null; hash: string } | undefined;
}

/**
 * A new password also ends the other sessions, and supersedes links for passwords and addresses.
 * @param image null removes the profile image, undefined keeps it
 * @throws AppError NICKNAME_TAKEN, and the errors of `lockAccount`
 */
export function updateMember(
  caller: Caller & Pick<Services, 'images'>,
  viewer: Viewer,
  change: MemberChange,
  image: PreparedImage | null | undefined,
): Promise<void> {
  const { database } = caller;
  return withImage(caller, image ?? undefined, (saved) =>
    database.inTransaction(async (transaction) => {
      const account = await lockAccount(database, viewer, change.password?.previousHash, transaction);
      const member = Member.build(account, { isNewRecord: false, raw: true });
      const previousImage = member.profileImage;
      const profileImage = image === null ? null : saved?.key;
      await member.update(columnsOf(change, profileImage), { transaction });
      if (change.password) await endOtherSessions(caller, viewer, transaction);
      if (profileImage !== undefined && previousImage)
        await enqueueImageRemoval(database, [previousImage], transaction);
    }),
  );
}

function columnsOf({ password, ...change }: MemberChange, profileImage: string | null | undefined): Partial<Member> {
  const nicknameSkeleton = change.nickname && skeletonOf(change.nickname);
  const given = Object.entries({ ...change, passwordHash: password?.hash, nicknameSkeleton }).filter(
    ([, value]) => value != null,
  );
  return { ...Object.fromEntries(given), ...(profileImage !== undefined && { profileImage }) };
}

async function endOtherSessions(caller: Caller, { memberId, sessionId }: Viewer, transaction: Transaction) {
  const { address, device } = caller.client;
  const event = ['SESSION_ENDED', address, device] as const;
  await caller.database.query(END_OTHER_SESSIONS, [memberId, sessionId, ...event, true], transaction);
  await recordEvent(caller, { kind: 'PASSWORD_CHANGED', memberId }, transaction);
}
