/** Registering and logging in. */
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { hashPassword, isPassword } from '../auth/password.js';
import { openSession, type TokenPair } from '../auth/session.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { Category, DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { MEMBER_BY_EMAIL, Member, type MemberRow } from '../models/member.js';
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
  async login(@Arg('input', () => LoginInput) input: LoginInput, @Ctx() context: Context): Promise<TokenPair> {
    const [member] = await context.database.query(MEMBER_BY_EMAIL, [input.email]);
    const isRight = await isPassword(input.password, member?.passwordHash);
    if (!member || !isRight) throw new AppError('INVALID_CREDENTIALS');
    return openSession(context, member.id);
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
