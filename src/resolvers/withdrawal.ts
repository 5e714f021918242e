/** Account deletion. */
import { Args, Ctx, Resolver } from 'type-graphql';
import { withdraw } from '../commands/withdraw.js';
import type { Context } from '../context.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { AuthorizedMutation, WhileSuspended } from '../schema/auth.js';
import { AccountType, WithdrawArgs } from '../schema/member.js';
import { requireProof } from '../services/auth/login.js';
import { viewerOf } from '../services/auth/policy.js';
import { requireRow } from './row.js';

@Resolver()
export class WithdrawalResolver {
  @WhileSuspended()
  @AuthorizedMutation(() => AccountType, {
    description:
      'Deletes your account and articles. Your comments on the articles of others remain, without your name.',
  })
  async withdraw(@Args(() => WithdrawArgs) { password }: WithdrawArgs, @Ctx() context: Context): Promise<MemberRow> {
    const viewer = viewerOf(context);
    const { memberId } = viewer;
    const account = requireRow(await context.loaders.byId(MEMBERS_BY_ID).load(memberId), 'UNAUTHENTICATED');
    const passwordHash = await requireProof(context, viewer, password);
    await withdraw(context.database, viewer, passwordHash);
    return account;
  }
}
