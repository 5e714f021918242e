/** Registering and logging in. */
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { logIn } from '../auth/login.js';
import { hashPassword } from '../auth/password.js';
import type { TokenPair } from '../auth/session.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { Category, DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { Member, type MemberRow } from '../models/member.js';
import { freeNickname } from '../models/nickname.js';
import { explainViolation } from '../models/violation.js';
import { LoginInput, Tokens } from '../schema/auth.js';
import { AccountType, RegisterInput } from '../schema/member.js';

const ATTEMPTS = 5;

@Resolver()
export class AuthResolver {
  @Mutation(() => AccountType, { description: 'Makes an account. Log in to get tokens for it.' })
  async register(@Arg('input', () => RegisterInput) input: RegisterInput, @Ctx() context: Context): Promise<MemberRow> {
    const passwordHash = await hashPassword(input.password);
    for (let attempt = 1; ; attempt++) {
      try {
        return await createMember(context, input, passwordHash);
      } catch (error) {
        const explained = explainViolation(error);
        const isTaken = explained instanceof AppError && explained.key === 'NICKNAME_TAKEN';
        // Someone else chose the nickname that was free a moment ago; who chose none does not care.
        if (!isTaken || input.nickname != null || attempt === ATTEMPTS) throw explained;
      }
    }
  }

  @Mutation(() => Tokens, { description: 'Opens a session.' })
  login(@Arg('input', () => LoginInput) input: LoginInput, @Ctx() context: Context): Promise<TokenPair> {
    return logIn(context, input.email, input.password);
  }
}

function createMember({ database }: Context, input: RegisterInput, passwordHash: string): Promise<MemberRow> {
  const { email, memberName } = input;
  return database.inTransaction(async (transaction) => {
    const nickname = input.nickname ?? (await freeNickname(database, memberName, transaction));
    const member = await Member.create({ email, passwordHash, memberName, nickname }, { transaction });
    await Category.create({ memberId: member.id, name: DEFAULT_CATEGORY_NAME, isDefault: true }, { transaction });
    return { ...member.get(), bio: member.bio ?? '', profileImage: null };
  });
}
