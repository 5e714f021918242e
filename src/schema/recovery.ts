/** Arguments and inputs of recovery: links for a new password, and of confirmation and change of the email address. */
import { ArgsType, Field, InputType } from 'type-graphql';
import { PROOF } from './auth.js';
import { CurrentPassword, Email, Line, NewPassword } from './validators.js';

const TOKEN = 'The token of the link, which follows `#token=`.';

@ArgsType()
export class EmailArgs {
  @Field({ description: 'Email address, case-insensitive.' })
  @Email()
  email!: string;
}

@ArgsType()
export class LinkTokenArgs {
  @Field({ description: TOKEN })
  @Line(1, 100)
  token!: string;
}

@ArgsType()
export class ConfirmEmailArgs extends LinkTokenArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'A new password of {range} characters. Required if the address was registered more than once before this confirmation; not permitted for ' +
      'a change of the address.',
  })
  @NewPassword()
  password?: string | null;
}

@InputType({ description: 'A new password, and the token of the link that permits it.' })
export class ResetPasswordInput {
  @Field({ description: TOKEN })
  @Line(1, 100)
  token!: string;

  @Field({ description: '{range} characters of any kind; common passwords are rejected.' })
  @NewPassword()
  password!: string;
}

@InputType({ description: 'A new email address, and re-authentication.' })
export class ChangeEmailInput {
  @Field({ description: 'The new email address.' })
  @Email()
  email!: string;

  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}
