/** Social login: inputs and types of the authorization request, the callback and the linked accounts. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { INVITATION, PROOF, Secret } from './auth.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, type Moment } from './scalars.js';
import { CurrentPassword, Line } from './validators.js';

const PROVIDER = 'GOOGLE, KAKAO, NAVER or the name of a configured OIDC provider.';
const MAX_PROVIDER_LENGTH = 30;
const MAX_PARAMETER_LENGTH = 2_000;
const REDIRECT = 'One of the allowed redirect URIs. Absent: the first of them.';

@ArgsType()
export class ProviderArgs {
  @Field({ description: PROVIDER })
  @Line(1, MAX_PROVIDER_LENGTH)
  provider!: string;
}

@ArgsType()
export class SocialLoginUrlArgs extends ProviderArgs {
  @Field(() => String, { nullable: true, description: REDIRECT })
  @Line(1, MAX_PARAMETER_LENGTH)
  redirectUri?: string | null;
}

@ObjectType({ description: 'Authorization request for a social login.' })
export class SocialLoginUrl {
  @Secret()
  @Field({ description: 'Authorization URL of the provider, with state, nonce and PKCE challenge.' })
  url!: string;

  @Secret()
  @Field({ description: 'Compare it with the `state` of the callback; if they differ, discard the code.' })
  state!: string;

  @Secret()
  @Field({
    description: 'PKCE code verifier. Store it in the browser that started the login, and send it with the code.',
  })
  codeVerifier!: string;
}

@InputType()
class CallbackInput {
  @Field({ description: PROVIDER })
  @Line(1, MAX_PROVIDER_LENGTH)
  provider!: string;

  @Field({ description: 'The authorization code.' })
  @Line(1, MAX_PARAMETER_LENGTH)
  code!: string;

  @Field(() => String, { nullable: true, description: REDIRECT })
  @Line(1, MAX_PARAMETER_LENGTH)
  redirectUri?: string | null;

  @Field(() => String, { nullable: true, description: 'The PKCE code verifier (RFC 7636).' })
  @Line(1, 128)
  codeVerifier?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The `state` of the callback, which the server compares as well.',
  })
  @Line(1, 500)
  state?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only with a codeVerifier of your own: the nonce that you sent.',
  })
  @Line(1, 500)
  nonce?: string | null;
}

@InputType({ description: 'Parameters of the callback from the provider.' })
export class SocialLoginInput extends CallbackInput {
  @Field(() => String, { nullable: true, description: INVITATION })
  @Line(1, 100)
  invitation?: string | null;
}

@InputType({ description: 'Parameters of the callback from the provider, and re-authentication.' })
export class LinkSocialAccountInput extends CallbackInput {
  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

@ArgsType()
export class UnlinkArgs extends ProviderArgs {
  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

@ObjectType({ description: 'A configured login provider.' })
export class LoginProvider {
  @LimitedAs(() => ProviderArgs, 'provider')
  @Field({ description: PROVIDER })
  provider!: string;
}

@ObjectType('SocialLink', { description: 'A social account that is linked to yours for login.' })
export class SocialLinkType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @LimitedAs(() => ProviderArgs, 'provider')
  @Field({ description: PROVIDER })
  provider!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Email address at the time of linking; null if it was not verified.',
  })
  email!: string | null;

  @Field(() => DateTime, { description: 'Time of linking, in UTC.' })
  createdAt!: Moment;
}
