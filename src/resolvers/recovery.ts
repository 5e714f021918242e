/** Recovery of accounts by email: new passwords, and confirmation and change of the address. */
import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { changeEmail, confirmEmail, undoEmailChange } from '../commands/change-email.js';
import { requestLink } from '../commands/request-link.js';
import { resetPassword } from '../commands/reset-password.js';
import type { Context } from '../context.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { AuthorizedMutation, TokenIgnored, WhileSuspended } from '../schema/auth.js';
import { AccountType } from '../schema/member.js';
import {
  ChangeEmailInput,
  ConfirmEmailArgs,
  EmailArgs,
  LinkTokenArgs,
  ResetPasswordInput,
} from '../schema/recovery.js';
import { requireProof } from '../services/auth/login.js';
import { viewerOf } from '../services/auth/policy.js';
import { requireMail } from '../services/mail/enqueue.js';
import { requireRow } from './row.js';

const ALWAYS_TRUE = 'Returns true.';

@Resolver()
export class RecoveryResolver {
  @TokenIgnored()
  @Mutation(() => Boolean, {
    description: `Sends a link for a new password, if the address has an account; the response does not show it. ${ALWAYS_TRUE}`,
  })
  async requestPasswordReset(@Args(() => EmailArgs) { email }: EmailArgs, @Ctx() context: Context): Promise<true> {
    await requestLink(context, 'reset', email);
    return true;
  }

  @TokenIgnored()
  @Mutation(() => Boolean, {
    description: `Sets a new password with the token of a link, and ends all sessions and API tokens. ${ALWAYS_TRUE}`,
  })
  async resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The password and the token.' })
    { token, password }: ResetPasswordInput,
    @Ctx() context: Context,
  ): Promise<true> {
    await resetPassword(context, token, password);
    return true;
  }

  @WhileSuspended()
  @AuthorizedMutation(() => AccountType, {
    description:
      'Sends a link to a new email address, which replaces the current one when the link is used, and a link that undoes ' +
      'the change to the current one.',
  })
  async changeEmail(
    @Arg('input', () => ChangeEmailInput, { description: 'The new address.' }) { email, password }: ChangeEmailInput,
    @Ctx() context: Context,
  ): Promise<MemberRow> {
    const viewer = viewerOf(context);
    requireMail(context.config);
    const passwordHash = await requireProof(context, viewer, password);
    const account = requireRow(await context.loaders.byId(MEMBERS_BY_ID).load(viewer.memberId), 'UNAUTHENTICATED');
    await changeEmail(context, viewer, email, passwordHash);
    return account;
  }

  @TokenIgnored()
  @Mutation(() => Boolean, {
    description:
      'Confirms an email address with the token of a link; a new address replaces the current one. The first confirmation of an account ends all ' +
      `sessions and API tokens, and removes passkeys and social accounts that were added before. ${ALWAYS_TRUE}`,
  })
  async confirmEmail(
    @Args(() => ConfirmEmailArgs) { token, password = null }: ConfirmEmailArgs,
    @Ctx() context: Context,
  ): Promise<true> {
    await confirmEmail(context, token, password);
    return true;
  }

  @TokenIgnored()
  @Mutation(() => Boolean, {
    description: `Sends a confirmation link again, if the address is to be confirmed; the response does not show it. ${ALWAYS_TRUE}`,
  })
  async resendConfirmation(@Args(() => EmailArgs) { email }: EmailArgs, @Ctx() context: Context): Promise<true> {
    await requestLink(context, 'confirm', email);
    return true;
  }

  @TokenIgnored()
  @Mutation(() => Boolean, {
    description: `Restores the previous email address with the token of a link, and ends all sessions and API tokens. ${ALWAYS_TRUE}`,
  })
  async undoEmailChange(@Args(() => LinkTokenArgs) { token }: LinkTokenArgs, @Ctx() context: Context): Promise<true> {
    await undoEmailChange(context, token);
    return true;
  }
}
