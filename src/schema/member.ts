/** GraphQL types of members and accounts, and the inputs of registration and profile changes. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { PROOF } from './auth.js';
import { DateTime, type Moment, Upload, type UploadedFile } from './scalars.js';
import { CurrentPassword, DisplayName, Email, Line, NewPassword, Prose } from './validators.js';

const UNIQUE_NAME = 'unique without regard to case and to characters that look alike';

@ObjectType('Member', { simpleResolvers: true, description: 'Someone who writes here.' })
export class MemberType {
  @Field(() => ID, { description: 'Positive; given once and never again.' })
  id!: number;

  @Field({ description: `The display name, ${UNIQUE_NAME}.` })
  nickname!: string;

  @Field({ description: 'A few words about the member; empty where there are none.' })
  bio!: string;

  @Field(() => DateTime, { description: 'When the account was made.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'When the profile last changed.' })
  updatedAt!: Moment;
}

@ObjectType('Account', {
  simpleResolvers: true,
  description: 'Your own side of being a member: what nobody else sees.',
})
export class AccountType extends MemberType {
  @Field(() => String, { nullable: true, description: 'Null where a social login gave none.' })
  email!: string | null;

  @Field({ description: 'Shown to nobody else.' })
  memberName!: string;
}

@InputType({ description: 'A new account.' })
export class RegisterInput {
  @Field({ description: 'Unique without regard to case.' })
  @Email()
  email!: string;

  @Field({ description: 'Any 8 to 128 characters.' })
  @NewPassword()
  password!: string;

  @Field({ description: 'Shown to nobody else.' })
  @Line(1, 30)
  memberName!: string;

  @Field(() => String, {
    nullable: true,
    description: `2 to 30 characters, ${UNIQUE_NAME}. Absent: made from the member name.`,
  })
  @DisplayName()
  nickname?: string | null;
}

@InputType({ description: 'The fields to change; the others stay as they are.' })
export class UpdateMemberInput {
  @Field(() => String, { nullable: true, description: '1 to 30 characters. Shown to nobody else.' })
  @Line(1, 30)
  memberName?: string | null;

  // An unchanged nickname may predate the current rules: the resolver applies them to a changed one only.
  @Field(() => String, { nullable: true, description: `2 to 30 characters, ${UNIQUE_NAME}.` })
  @Line(2, 30)
  nickname?: string | null;

  @Field(() => String, { nullable: true, description: 'Empty takes the words away.' })
  @Prose(0, 200)
  bio?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A new password; needs currentPassword and ends other sessions.',
  })
  @NewPassword()
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'The password that a new one replaces.' })
  @CurrentPassword()
  currentPassword?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Takes the profile image away.' })
  removeImage?: boolean | null;

  @Field(() => Upload, { nullable: true, description: 'A new profile image: JPEG, PNG, WebP, GIF or AVIF.' })
  image?: UploadedFile | null;
}

@ArgsType()
export class WithdrawArgs {
  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}
