/** Members: the viewer's own account, and public profiles. */
import { Arg, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { recordEvent } from '../auth/audit.js';
import type { Viewer } from '../auth/caller.js';
import { requireMaySetPassword } from '../auth/login.js';
import { hashPassword } from '../auth/password.js';
import { viewerOf } from '../auth/policy.js';
import { removeLater, withImage } from '../commands/image.js';
import type { Context } from '../context.js';
import { explainViolation } from '../database/violation.js';
import { explainDisplayName } from '../display-name/rules.js';
import { skeletonOf } from '../display-name/skeleton.js';
import { AppError, invalid } from '../errors.js';
import { prepareImage } from '../images/image.js';
import { memberTask } from '../limits/client-task.js';
import { createMessage } from '../messages/message.js';
import { Member, type MemberRow } from '../models/member.js';
import { END_OTHER_SESSIONS } from '../models/session.js';
import { AccountType, MemberType, UpdateMemberInput } from '../schema/member.js';

@Resolver(() => MemberType)
export class MemberResolver {
  @Authorized()
  @Query(() => AccountType, { description: 'Your own account. Authentication required.' })
  async me(@Ctx() context: Context): Promise<MemberRow> {
    return ownRow(context);
  }

  @Authorized()
  @Mutation(() => AccountType, { description: 'Changes your account and profile. Authentication required.' })
  async updateMember(
    @Arg('input', () => UpdateMemberInput, { description: 'The changes.' }) input: UpdateMemberInput,
    @Ctx() context: Context,
  ): Promise<MemberRow> {
    const { memberId } = viewerOf(context);
    requireSomeChange(input);
    await requireUsableNickname(context, input.nickname);
    const passwordHash = await newPasswordHash(context, input);
    const prepared = input.image ? await prepareImage(input.image.bytes, memberTask(context, memberId)) : undefined;
    const { memberName, nickname, bio } = input;
    try {
      await withImage(context, prepared, (key) => {
        const given = { memberName, nickname, bio, passwordHash, profileImage: input.removeImage ? null : key };
        return changeMember(context, viewerOf(context), withoutMissing(given));
      });
    } catch (error) {
      throw explainViolation(error);
    }
    context.loaders.memberById.clear(memberId);
    return ownRow(context);
  }

  @FieldResolver(() => String, { nullable: true, description: 'URL of the profile image.' })
  profileImg(@Root() member: MemberRow, @Ctx() context: Context): string | null {
    return profileImg(member, context);
  }
}

@Resolver(() => AccountType)
export class AccountResolver {
  @FieldResolver(() => MemberType, { description: 'Your public profile.' })
  profile(@Root() account: MemberRow): MemberRow {
    return account;
  }

  @FieldResolver(() => String, { nullable: true, description: 'URL of the profile image.' })
  profileImg(@Root() account: MemberRow, @Ctx() context: Context): string | null {
    return profileImg(account, context);
  }
}

function profileImg({ profileImage }: MemberRow, { images, config }: Context): string | null {
  return profileImage && images.url(profileImage, config.publicUrl);
}

async function ownRow(context: Context): Promise<MemberRow> {
  const member = await context.loaders.memberById.load(viewerOf(context).memberId);
  // The member was deleted after the token check.
  if (!member) throw new AppError('UNAUTHENTICATED');
  return member;
}

function requireSomeChange(input: UpdateMemberInput): void {
  const { currentPassword: _, ...changes } = input;
  if (Object.values(changes).every((value) => value == null)) {
    throw new AppError('VALIDATION_FAILED', { message: createMessage('noChanges') });
  }
  if (input.image && input.removeImage) throw invalid('removeImage', createMessage('cannotCombineWithImage'));
}

/** Accepts the current nickname unchanged, which may predate the rules. @throws AppError VALIDATION_FAILED */
async function requireUsableNickname(context: Context, nickname: string | null | undefined): Promise<void> {
  const wrong = nickname == null ? null : explainDisplayName(nickname);
  if (wrong && nickname !== (await ownRow(context)).nickname) throw invalid('nickname', wrong);
}

/** @throws AppError VALIDATION_FAILED if the current password is missing or wrong, RATE_LIMITED */
async function newPasswordHash(context: Context, input: UpdateMemberInput): Promise<string | undefined> {
  if (input.password == null) return undefined;
  const viewer = viewerOf(context);
  await requireMaySetPassword(context, viewer, input.currentPassword);
  return hashPassword(input.password, memberTask(context, viewer.memberId));
}

/** Null and absent both mean unchanged. Only the image can be set to null. */
function withoutMissing(change: Partial<MemberChange>): MemberChange {
  const given = Object.entries(change).filter(
    ([field, value]) => value !== undefined && (value !== null || field === 'profileImage'),
  );
  return Object.fromEntries(given) as MemberChange;
}

type MemberChange = Partial<{
  memberName: string | null;
  nickname: string | null;
  bio: string | null;
  passwordHash: string;
  profileImage: string | null;
}>;

/** A new password also ends the other sessions. */
function changeMember(context: Context, viewer: Viewer, change: MemberChange): Promise<void> {
  return context.database.inTransaction(async (transaction) => {
    const member = await Member.findByPk(viewer.memberId, { transaction, lock: transaction.LOCK.UPDATE });
    if (!member) throw new AppError('UNAUTHENTICATED');
    const replaced = change.profileImage === undefined ? null : member.profileImage;
    const nicknameSkeleton = change.nickname && skeletonOf(change.nickname);
    await member.update({ ...change, ...(nicknameSkeleton && { nicknameSkeleton }) } as Partial<Member>, {
      transaction,
    });
    if (change.passwordHash) {
      const { address, device } = context.client;
      const values = [viewer.memberId, viewer.sessionId, 'SESSION_ENDED', address, device];
      await context.database.query(END_OTHER_SESSIONS, values, transaction);
      await recordEvent(context, { kind: 'PASSWORD_CHANGED', memberId: viewer.memberId }, transaction);
    }
    if (replaced) await removeLater(context.database, [replaced], transaction);
  });
}
