/** Changes an account and its profile. */
import { MEMBERS } from '../models/member/member.js';
import { END_OTHER_SESSIONS } from '../models/session/session.js';
import type { InputFor } from '../models/table.js';
import type { Transaction } from '../platform/database/pool.js';
import { memberTurn } from '../platform/database/queue.js';
import { skeletonOf } from '../platform/display-name/skeleton.js';
import { recordEvent } from '../services/auth/audit.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import type { PreparedImage } from '../services/images/store.js';
import type { Services } from '../services/index.js';
import { enqueueImageRemoval, withImage } from './image.js';
import { lockAccount } from './login-methods.js';

export interface MemberChange {
  /** Null and absent fields stay unchanged. */
  input: InputFor<typeof MEMBERS>;
  /** `previousHash`: the one that the current password was compared with; null for an account without a password. */
  password: { previousHash: string | null; hash: string } | undefined;
}

/**
 * A new password also ends the other sessions, and supersedes links for passwords and addresses. Suspended members may change nothing else.
 * @param image null removes the profile image, undefined keeps it
 * @param read reads the response in the transaction
 * @throws AppError NICKNAME_TAKEN, and the errors of `lockAccount`
 */
export function updateMember<Read>(
  caller: Caller & Pick<Services, 'images'>,
  viewer: Viewer,
  { input, password }: MemberChange,
  image: PreparedImage | null | undefined,
  read: (db: Transaction) => Promise<Read>,
): Promise<Read> {
  const { database } = caller;
  const given = MEMBERS.valuesOf(input);
  const isForSuspended = image === undefined && Object.keys(given).length === 0;
  return withImage(caller, image ?? undefined, (saved) =>
    database.transaction(async (db) => {
      const account = await lockAccount(db, viewer, password?.previousHash, { isForSuspended });
      const profileImage = image === null ? null : saved?.key;
      const nicknameSkeleton = input.nickname ? skeletonOf(input.nickname) : undefined;
      const profileImageSide = image ? Math.min(image.width, image.height) : image;
      const changes = { ...given, nicknameSkeleton, passwordHash: password?.hash, profileImage, profileImageSide };
      await MEMBERS.update(db, account, changes);
      if (password) await endOtherSessions(db, caller, viewer);
      if (profileImage !== undefined && account.profileImage)
        await enqueueImageRemoval(db, [account.profileImage], memberTurn(viewer.memberId));
      return read(db);
    }),
  );
}

async function endOtherSessions(db: Transaction, caller: Caller, { memberId, credentialId }: Viewer) {
  const { address, device } = caller.client;
  const event = ['SESSION_ENDED', address, device] as const;
  await db.query(END_OTHER_SESSIONS, [memberId, credentialId, ...event, true]);
  await recordEvent(db, caller, { kind: 'PASSWORD_CHANGED', memberId });
}
