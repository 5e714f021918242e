/** GraphQL types of members and accounts, and the inputs of registration and profile changes. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { MAX_BIO_LENGTH } from '../models/member/member.js';
import type { Role } from '../models/moderation/role.js';
import { MAX_NAME_LENGTH, MIN_DISPLAY_NAME_LENGTH } from '../platform/display-name/rules.js';
import { ApiTokenScopes } from './api-token.js';
import { INVITATION, PROOF } from './auth.js';
import { listOf } from './list.js';
import { RoleEnum } from './moderation.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, type Moment, Upload, type UploadedFile } from './scalars.js';
import { CurrentPassword, DisplayName, Email, Line, NewPassword, Prose } from './validators.js';

const UNIQUE_NAME = 'unique, ignoring case and differences between look-alike characters';

@ObjectType('Member', { description: 'Public profile of a member.' })
export class MemberType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @LimitedAs(() => RegisterInput, 'nickname')
  @Field({ description: `The display name, ${UNIQUE_NAME}.` })
  nickname!: string;

  @LimitedAs(() => UpdateMemberInput, 'bio')
  @Field({ description: 'Short biography; may be empty.' })
  bio!: string;

  @Field(() => RoleEnum, { description: 'What the member may do besides reading and writing.' })
  role!: Role;

  @Field(() => DateTime, { description: 'Creation time of the account, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'Time of the last profile change, in UTC.' })
  updatedAt!: Moment;
}

@ObjectType('Account', { description: 'Your own account, including fields that only you can see.' })
export class AccountType extends MemberType {
  @ApiTokenScopes('read')
  @LimitedAs(() => RegisterInput, 'email')
  @Field(() => String, {
    nullable: true,
    description: 'Email address; null if the social login provider supplied none.',
  })
  email!: string | null;

  @ApiTokenScopes('read')
  @Field({
    description: 'Whether the member has proved access to the email address, by a link or through a login provider.',
  })
  emailVerified!: boolean;

  @ApiTokenScopes('read')
  @LimitedAs(() => RegisterInput, 'memberName')
  @Field({ description: 'Name of the member, visible only to the account owner.' })
  memberName!: string;
}

@InputType({ description: 'Input for a new account.' })
export class RegisterInput {
  @Field({ description: 'Email address, unique among accounts, ignoring case.' })
  @Email()
  email!: string;

  @Field({ description: '{range} characters of any kind; common passwords are rejected.' })
  @NewPassword()
  password!: string;

  @Field({ description: 'Name of the member, visible only to the account owner.' })
  @Line(1, MAX_NAME_LENGTH)
  memberName!: string;

  @Field(() => String, {
    nullable: true,
    description: `{range} characters, ${UNIQUE_NAME}. Absent: generated from the member name.`,
  })
  @DisplayName()
  nickname?: string | null;

  @Field(() => String, { nullable: true, description: INVITATION })
  @Line(1, 100)
  invitation?: string | null;
}

/** Unchanged names may predate the current rules: the resolver applies them to changed ones only. */
const STORED = { isStored: true };

@InputType({ description: 'The fields to change; omitted fields keep their values.' })
export class UpdateMemberInput {
  @Field(() => String, { nullable: true, description: '{range} characters, visible only to you.' })
  @Line(1, MAX_NAME_LENGTH, STORED)
  memberName?: string | null;

  @Field(() => String, { nullable: true, description: `{range} characters, ${UNIQUE_NAME}.` })
  @Line(MIN_DISPLAY_NAME_LENGTH, MAX_NAME_LENGTH, STORED)
  nickname?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Short biography, at most {max} characters; an empty string clears it.',
  })
  @Prose(0, MAX_BIO_LENGTH)
  bio?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A new password; requires currentPassword if you have a password, and ends other sessions.',
  })
  @NewPassword()
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'The current password, which the new one replaces.' })
  @CurrentPassword()
  currentPassword?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Removes the profile image.' })
  removeImage?: boolean | null;

  @Field(() => Upload, { nullable: true, description: 'A new profile image: JPEG, PNG, WebP, GIF or AVIF.' })
  image?: UploadedFile | null;
}

@ArgsType()
export class MemberByNicknameArgs {
  @Field({ description: 'Display name of a member, ignoring case; {range} characters.' })
  @Line(MIN_DISPLAY_NAME_LENGTH, MAX_NAME_LENGTH)
  nickname!: string;
}

export const MemberList = listOf('Member', () => MemberType, 'public profiles');

@ArgsType()
export class WithdrawArgs {
  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}
