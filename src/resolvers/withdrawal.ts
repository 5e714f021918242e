/** Leaving for good. */
import { Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { requireOwnPassword } from '../auth/login.js';
import { viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { say } from '../messages/message.js';
import { Member, type MemberRow } from '../models/member.js';
import { removeMember } from '../models/withdrawal.js';
import { AccountType, WithdrawArgs } from '../schema/member.js';
import { requireRow } from './row.js';

@Resolver()
export class WithdrawalResolver {
  @Authorized()
  @Mutation(() => AccountType, {
    description:
      'Ends your account. Your articles go; your comments on the articles of others stay, without your name.',
  })
  async withdraw(@Args(() => WithdrawArgs) { password }: WithdrawArgs, @Ctx() context: Context): Promise<MemberRow> {
    const { memberId } = viewerOf(context);
    const account = requireRow(await context.loaders.memberById.load(memberId), 'UNAUTHENTICATED');
    const passwordHash = await checkPassword(context, password ?? null);
    await context.database.inTransaction((transaction) =>
      removeMember(context.database, memberId, passwordHash, transaction),
    );
    return account;
  }
}

/**
 * An account without a password needs none.
 * @returns the hash that it was checked against
 * @throws AppError VALIDATION_FAILED naming the password, RATE_LIMITED
 */
async function checkPassword(context: Context, password: string | null): Promise<string | null> {
  const viewer = viewerOf(context);
  const found = await Member.findByPk(viewer.memberId, { attributes: ['passwordHash'] });
  const { passwordHash } = requireRow(found, 'UNAUTHENTICATED');
  if (passwordHash === null) return null;
  if (password === null) throw invalid('password', say('passwordNeededToWithdraw'));
  await requireOwnPassword(context, viewer, password, 'password');
  return passwordHash;
}
