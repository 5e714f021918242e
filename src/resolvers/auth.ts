/** Registration and password login. */
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { register } from '../commands/register.js';
import type { Context } from '../context.js';
import { RootResult } from '../execute.js';
import type { MemberRow } from '../models/member/member.js';
import { LoginInput, TokenIgnored, Tokens } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { AccountType, RegisterInput } from '../schema/member.js';
import { logIn } from '../services/auth/login.js';
import type { TokenPair } from '../services/auth/session.js';

@Resolver()
export class AuthResolver {
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
  ): Promise<RootResult<MemberRow | null>> {
    const { memberId, account } = await register(context, input);
    return new RootResult(account, { memberId });
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
