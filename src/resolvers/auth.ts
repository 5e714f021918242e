/** Registration and password login. */
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { logIn } from '../auth/login.js';
import { hashPassword } from '../auth/password.js';
import type { TokenPair } from '../auth/session.js';
import { requireAdmission } from '../commands/invitation.js';
import { mailConfirmation } from '../commands/recovery.js';
import { register } from '../commands/register.js';
import { registerByEmail } from '../commands/register-by-email.js';
import type { Context } from '../context.js';
import { networkTask } from '../limits/client-task.js';
import { countRequestedMail } from '../limits/mails.js';
import { countRegistration } from '../limits/registrations.js';
import type { MemberRow } from '../models/member/member.js';
import { LoginInput, TokenIgnored, Tokens } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { AccountType, RegisterInput } from '../schema/member.js';

@Resolver()
export class AuthResolver {
  @IdempotencyKey('applies')
  @TokenIgnored()
  @Mutation(() => AccountType, {
    nullable: true,
    description:
      'Creates an account. Tokens are issued by a subsequent login. Null if the service requires a confirmed email address: the address ' +
      'then receives a link, or if it has an account already, an email about the attempt.',
  })
  async register(
    @Arg('input', () => RegisterInput, { description: 'The new account.' }) input: RegisterInput,
    @Ctx() context: Context,
  ): Promise<MemberRow | null> {
    const { email, memberName, nickname = null } = input;
    await countRegistration(context);
    const isMailed = context.config.mail !== null && (await countRequestedMail(context, email));
    const admission = await requireAdmission(context, input.invitation);
    const passwordHash = await hashPassword(input.password, networkTask(context));
    const added = { email, memberName, nickname, passwordHash, language: context.language };
    if (context.config.requireVerifiedEmail) {
      context.responseMeta.memberId = await registerByEmail(context, added, admission, isMailed);
      return null;
    }
    const account = await register(context.database, added, admission, async ({ id }, transaction) => {
      if (isMailed) await mailConfirmation(context, { memberId: id, email }, transaction);
    });
    context.responseMeta.memberId = account.id;
    return account;
  }

  @IdempotencyKey('ignored: secret')
  @TokenIgnored()
  @Mutation(() => Tokens, { description: 'Logs in with email and password; creates a session.' })
  login(
    @Arg('input', () => LoginInput, { description: 'The credentials.' }) input: LoginInput,
    @Ctx() context: Context,
  ): Promise<TokenPair> {
    return logIn(context, input.email, input.password);
  }
}
