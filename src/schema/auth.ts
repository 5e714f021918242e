/** Inputs and types of password login. */
import { Field, InputType, ObjectType } from 'type-graphql';
import { CurrentPassword, Email } from './validators.js';

/** Description of the argument `password` of operations that require proof. */
export const PROOF =
  'Your current password. An account without one needs a login within the last 10 minutes instead; a refresh is no login.';

@InputType({ description: 'What an account is logged in to with.' })
export class LoginInput {
  @Field({ description: "The account's; case does not matter." })
  @Email()
  email!: string;

  @Field({ description: "The account's." })
  @CurrentPassword()
  password!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What a session is used with.' })
export class Tokens {
  @Field({ description: 'A JWT for the Authorization header: `Bearer <accessToken>`.' })
  accessToken!: string;

  @Field({ description: 'A JWT that gives a new pair.' })
  refreshToken!: string;
}
