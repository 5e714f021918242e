/** Inputs and types of password login. */
import { Field, InputType, ObjectType } from 'type-graphql';
import { CurrentPassword, Email } from './validators.js';

/** Description of the argument `password` of operations that require proof. */
export const PROOF =
  'Your current password. An account without one requires a login within the last 10 minutes (not a token refresh).';

@InputType({ description: 'Credentials of an account.' })
export class LoginInput {
  @Field({ description: 'Email address of the account, case-insensitive.' })
  @Email()
  email!: string;

  @Field({ description: 'Password of the account.' })
  @CurrentPassword()
  password!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Access token and refresh token of a session.' })
export class Tokens {
  @Field({ description: 'A JWT for the Authorization header: `Bearer <accessToken>`.' })
  accessToken!: string;

  @Field({ description: 'A JWT that can be exchanged for a new pair of tokens.' })
  refreshToken!: string;
}
