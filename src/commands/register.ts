/** Creates accounts: a member with the default category. With REQUIRE_VERIFIED_EMAIL, free and taken addresses have the same response and cause the same work. */
import { randomUUID } from 'node:crypto';
import { CATEGORIES, DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { knownAddress } from '../models/member/address.js';
import { MEMBERS, type MemberRow, PLACEHOLDER_DOMAIN } from '../models/member/member.js';
import { freeNickname } from '../models/member/nickname.js';
import { OWNER_OF_EMAIL, REGISTER_AGAIN, TOKEN_LIFETIMES_MS } from '../models/member/one-time-token.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { skeletonOf } from '../platform/display-name/skeleton.js';
import { AppError } from '../platform/errors.js';
import type { Language } from '../platform/messages/message.js';
import { createOneTimeToken, type OneTimeToken } from '../services/auth/one-time-token.js';
import type { Caller } from '../services/auth/policy.js';
import { networkTask } from '../services/limits/client-task.js';
import { countRegistration } from '../services/limits/logins.js';
import { countRequestedMail } from '../services/limits/mails.js';
import { enqueueMail } from '../services/mail/enqueue.js';
import { type Admission, requireAdmission, useInvitation } from './invitation.js';
import { addLink, mailConfirmation } from './one-time-link.js';

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

interface Registration {
  email: string;
  password: string;
  memberName: string;
  nickname?: string | null;
  invitation?: string | null;
}

interface Registered {
  /** With REQUIRE_VERIFIED_EMAIL, not that of the owner of a taken address. */
  memberId: number;
  /** Null with REQUIRE_VERIFIED_EMAIL. */
  account: MemberRow | null;
}

export const REGISTRATION_ATTEMPTS = 5;

/** In place of the time of a registration by invitation, which is never deleted: the operator has invited this member. */
const NEVER_DELETED = new Date('9999-12-31T00:00:00Z');

/**
 * Creates an account with a password, and sends a confirmation link if an SMTP server is configured.
 * @throws AppError EMAIL_TAKEN unless REQUIRE_VERIFIED_EMAIL is set; NICKNAME_TAKEN, REGISTRATION_CLOSED, TOKEN_INVALID, RATE_LIMITED,
 *   SERVICE_UNAVAILABLE
 */
export async function register(
  caller: Caller,
  { email: given, password, memberName, nickname = null, invitation }: Registration,
): Promise<Registered> {
  const { config, database, language } = caller;
  await countRegistration(caller);
  const isMailed = config.mail !== null && (await countRequestedMail(caller, given));
  const email = await knownAddress(database, given);
  const admission = await requireAdmission(caller, invitation);
  const passwordHash = await caller.services.passwordHasher.hash(password, networkTask(caller));
  const account = { email, memberName, nickname, passwordHash, language };
  const isHidden = config.requireVerifiedEmail;
  for (let attempt = 1; ; attempt++) {
    try {
      const [owner = null] = isHidden ? await database.query(OWNER_OF_EMAIL, [email]) : [];
      return await database.transaction(async (db) => {
        await useInvitation(db, admission);
        if (isHidden) return addPending(db, caller, account, { owner, admission, isMailed });
        return addAccount(db, caller, account, isMailed);
      });
    } catch (error) {
      const { key = null } = error instanceof AppError ? error : {};
      // A concurrent request took the generated nickname, or the address, which the response must not show.
      const isTaken = (key === 'NICKNAME_TAKEN' && nickname === null) || (key === 'EMAIL_TAKEN' && isHidden);
      if (isTaken && attempt < REGISTRATION_ATTEMPTS) continue;
      if (key === 'EMAIL_TAKEN') await recordTaken(caller, email);
      throw error;
    }
  }
}

async function recordTaken(caller: Caller, email: string): Promise<void> {
  const [owner = null] = await caller.database.query(OWNER_OF_EMAIL, [email]);
  await registerAgain(caller.database, caller, owner, false);
}

async function addAccount(
  db: Transaction,
  caller: Caller,
  account: NewAccount & { email: string },
  isMailed: boolean,
): Promise<Registered> {
  const created = await insertAccount(db, account);
  const { id: memberId } = created;
  if (isMailed) await mailConfirmation(db, caller, { memberId, email: account.email });
  return { memberId, account: created };
}

interface Pending {
  /** Of the address, if it is taken. */
  owner: { id: number; isUnproven: boolean } | null;
  admission: Admission;
  isMailed: boolean;
}

/**
 * If the address is taken, an account with a random address is created, without a way to log in, and the owner receives an email. It is deleted
 * as other unconfirmed accounts are: its nickname and its id must not show whether the address was free.
 */
async function addPending(
  db: Transaction,
  caller: Caller,
  account: NewAccount & { email: string },
  { owner, admission, isMailed }: Pending,
): Promise<Registered> {
  const { email: address } = account;
  const email = owner ? `${randomUUID()}@${PLACEHOLDER_DOMAIN}` : address;
  const pendingSince = admission === null ? new Date(db.now()) : NEVER_DELETED;
  const { id } = await insertAccount(db, { ...account, email, pendingSince });
  const created = await addLink(db, caller, { memberId: id, purpose: 'confirm', email });
  const renewed = await registerAgain(db, caller, owner, isMailed);
  const link = renewed?.reference ?? created.reference;
  if (isMailed && owner && !renewed) {
    const attempted = { template: 'registrationAttempted', memberId: owner.id, address, values: {} } as const;
    await enqueueMail(db, caller, attempted);
  } else if (isMailed) {
    const memberId = owner?.id ?? id;
    await enqueueMail(db, caller, { template: 'addressConfirmation', memberId, address, values: { link } });
  }
  return { memberId: id, account: null };
}

/**
 * Records that an address was registered again before its first proof: its confirmation then requires a new password, since the current one may be
 * that of another person. Runs its statement for free and confirmed addresses too.
 * @returns the token of another link to the address; undefined if it is free or confirmed, or must not receive an email
 */
export async function registerAgain(
  db: Database,
  { jwtSecret }: Pick<Caller, 'jwtSecret'>,
  owner: { id: number; isUnproven: boolean } | null,
  isMailed: boolean,
): Promise<OneTimeToken | undefined> {
  const token = createOneTimeToken(jwtSecret, 'confirm');
  const memberId = owner?.isUnproven ? owner.id : null;
  const values = [memberId, isMailed, token.hash, TOKEN_LIFETIMES_MS.confirm] as const;
  const [again] = await db.query(REGISTER_AGAIN, [...values]);
  return again && isMailed ? token : undefined;
}

/** One attempt, as part of a transaction. */
export async function insertAccount(db: Transaction, { nickname: chosen, ...account }: NewAccount): Promise<MemberRow> {
  const nickname = chosen ?? (await freeNickname(db, account.memberName));
  const values = { bio: '', ...account, nickname, nicknameSkeleton: skeletonOf(nickname) };
  const member = await MEMBERS.insert(db, values);
  const category = { memberId: member.id, name: DEFAULT_CATEGORY_NAME, isDefault: true };
  await CATEGORIES.insert(db, category);
  return {
    ...member,
    profileImage: null,
    profileImageSide: null,
    emailVerified: false,
    role: 'MEMBER',
    articleCount: 0,
    followerCount: 0,
    isPending: account.pendingSince != null,
  };
}
