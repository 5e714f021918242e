/** Members: the viewer's own account, and public profiles. */
import { Arg, Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { type MemberChange, updateMember } from '../commands/update-member.js';
import { withdraw } from '../commands/withdraw.js';
import type { Context } from '../context.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import type { Transaction } from '../platform/database/pool.js';
import { explainDisplayName } from '../platform/display-name/rules.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { isVisible } from '../platform/text.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { ImageSizeType } from '../schema/image.js';
import { AccountType, MemberType, UpdateMemberInput, WithdrawArgs } from '../schema/member.js';
import { MaxItems } from '../schema/response-limits.js';
import { CoveredBy, STAMP_KINDS } from '../schema/stamped.js';
import { InParentRow } from '../schema/statements.js';
import { requireVisible } from '../schema/validators.js';
import { requireMaySetPassword, requireProof } from '../services/auth/login.js';
import { requireNotSuspended, viewerOf } from '../services/auth/policy.js';
import { prepareImage } from '../services/images/image.js';
import { PROFILE_IMAGE_SIDES, type SizedImage, squaresOf } from '../services/images/store.js';
import { memberTask } from '../services/limits/client-task.js';
import { requireRow } from './row.js';

const PROFILE_IMAGE_SIZES =
  'The middle of the profile image as squares of 64, 128 and 256 pixels: those that are not larger than its shorter side.';

@Resolver(() => MemberType)
export class MemberResolver {
  @ApiTokenScopes('read')
  @AuthorizedQuery(() => AccountType, { description: 'Your own account.' })
  async me(@Ctx() context: Context): Promise<MemberRow> {
    return ownRow(context);
  }

  @WhileSuspended()
  @AuthorizedMutation(() => AccountType, { description: 'Changes your account and profile.' })
  async updateMember(
    @Arg('input', () => UpdateMemberInput, { description: 'The changes.' }) input: UpdateMemberInput,
    @Ctx() context: Context,
  ): Promise<MemberRow> {
    const viewer = viewerOf(context);
    requireSomeChange(input);
    const { password: _, currentPassword: __, ...profile } = input;
    if (Object.values(profile).some((value) => value != null)) requireNotSuspended(viewer);
    await requireUsableNames(context, input);
    const password = await newPassword(context, input);
    const prepared = input.image
      ? await prepareImage(input.image.bytes, memberTask(context, viewer.memberId), { isProfile: true })
      : undefined;
    const image = input.removeImage ? null : prepared;
    const read = async (db: Transaction) =>
      requireRow(await context.loaders.reload(db, viewer.memberId, MEMBERS_BY_ID), 'UNAUTHENTICATED');
    return updateMember(context, viewer, { input, password }, image, read);
  }

  @WhileSuspended()
  @AuthorizedMutation(() => AccountType, {
    description:
      'Deletes your account and articles. Your comments on the articles of others remain, without your name.',
  })
  async withdraw(@Args(() => WithdrawArgs) { password }: WithdrawArgs, @Ctx() context: Context): Promise<MemberRow> {
    const viewer = viewerOf(context);
    const account = await ownRow(context);
    const passwordHash = await requireProof(context, viewer, password);
    await withdraw(context.database, viewer, passwordHash);
    return account;
  }

  @CoveredBy(...STAMP_KINDS)
  @InParentRow()
  @FieldResolver(() => String, { nullable: true, description: 'URL of the profile image; null if there is none.' })
  profileImg(@Root() member: MemberRow, @Ctx() context: Context): string | null {
    return profileImg(member, context);
  }

  @CoveredBy(...STAMP_KINDS)
  @InParentRow()
  @MaxItems(PROFILE_IMAGE_SIDES.length)
  @FieldResolver(() => [ImageSizeType], { description: PROFILE_IMAGE_SIZES })
  profileImgSizes(@Root() member: MemberRow, @Ctx() context: Context): SizedImage[] {
    return profileImgSizes(member, context);
  }
}

@Resolver(() => AccountType)
export class AccountResolver {
  @InParentRow()
  @FieldResolver(() => MemberType, { description: 'Your public profile.' })
  profile(@Root() account: MemberRow): MemberRow {
    return account;
  }

  @InParentRow()
  @FieldResolver(() => String, { nullable: true, description: 'URL of the profile image; null if there is none.' })
  profileImg(@Root() account: MemberRow, @Ctx() context: Context): string | null {
    return profileImg(account, context);
  }

  @InParentRow()
  @MaxItems(PROFILE_IMAGE_SIDES.length)
  @FieldResolver(() => [ImageSizeType], { description: PROFILE_IMAGE_SIZES })
  profileImgSizes(@Root() account: MemberRow, @Ctx() context: Context): SizedImage[] {
    return profileImgSizes(account, context);
  }
}

function profileImg({ profileImage }: MemberRow, { images, config }: Context): string | null {
  return profileImage && images.url(profileImage, config.publicUrl);
}

function profileImgSizes({ profileImage, profileImageSide }: MemberRow, { images, config }: Context): SizedImage[] {
  return profileImage === null ? [] : squaresOf(images, profileImage, profileImageSide, config.publicUrl);
}

async function ownRow(context: Context): Promise<MemberRow> {
  // Missing if the member was deleted after the token check.
  return requireRow(await context.loaders.byId(MEMBERS_BY_ID).load(viewerOf(context).memberId), 'UNAUTHENTICATED');
}

function requireSomeChange(input: UpdateMemberInput): void {
  const { currentPassword: _, ...changes } = input;
  if (Object.values(changes).every((value) => value == null)) {
    throw new AppError('VALIDATION_FAILED', { message: createMessage('noChanges') });
  }
  if (input.image && input.removeImage) throw invalid('removeImage', createMessage('cannotCombineWithImage'));
}

/** Accepts the current names unchanged, which may predate the rules. @throws AppError VALIDATION_FAILED */
async function requireUsableNames(context: Context, { memberName, nickname }: UpdateMemberInput): Promise<void> {
  if (memberName != null && !isVisible(memberName)) requireVisible({ memberName }, await ownRow(context));
  const wrong = nickname == null ? null : explainDisplayName(nickname);
  if (wrong && nickname !== (await ownRow(context)).nickname) throw invalid('nickname', wrong);
}

/** @throws AppError VALIDATION_FAILED if the current password is missing or wrong, RATE_LIMITED */
async function newPassword(context: Context, input: UpdateMemberInput): Promise<MemberChange['password']> {
  if (input.password == null) return undefined;
  const viewer = viewerOf(context);
  const previousHash = await requireMaySetPassword(context, viewer, input.currentPassword);
  return {
    previousHash,
    hash: await context.services.passwordHasher.hash(input.password, memberTask(context, viewer.memberId)),
  };
}
