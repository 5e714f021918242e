/** Logging in. */
import { Field, InputType, ObjectType } from 'type-graphql';
import { CurrentPassword, Email } from './validators.js';

@InputType()
export class LoginInput {
  @Field()
  @Email()
  email!: string;

  @Field()
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
