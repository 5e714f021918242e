/** Social login: inputs and types of the authorization request, the callback and the linked accounts. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { PROOF } from './auth.js';
import { DateTime, type Moment } from './scalars.js';
import { CurrentPassword, Line } from './validators.js';

const REDIRECT = 'One of the allowed redirect addresses; absent: the first of them.';

@ArgsType()
export class ProviderArgs {
  @Field({ description: 'GOOGLE, KAKAO, NAVER or a configured OIDC name.' })
  @Line(1, 30)
  provider!: string;
}

@ArgsType()
export class SocialLoginUrlArgs extends ProviderArgs {
  @Field(() => String, { nullable: true, description: REDIRECT })
  @Line(1, 2000)
  redirectUri?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A login at a provider that begins.' })
export class SocialLoginUrl {
  @Field({ description: 'Where the member logs in. It carries state, nonce and a PKCE challenge.' })
  url!: string;

  @Field({ description: 'Must be the `state` that comes back with the code; otherwise drop the code.' })
  state!: string;

  @Field({ description: 'Keep it in the browser that began, and send it with the code.' })
  codeVerifier!: string;
}

@InputType({ description: 'What came back from the provider.' })
export class SocialLoginInput {
  @Field({ description: 'GOOGLE, KAKAO, NAVER or a configured OIDC name.' })
  @Line(1, 30)
  provider!: string;

  @Field({ description: 'The authorization code.' })
  @Line(1, 2000)
  code!: string;

  @Field(() => String, { nullable: true, description: REDIRECT })
  @Line(1, 2000)
  redirectUri?: string | null;

  @Field(() => String, { nullable: true, description: 'The PKCE code verifier (RFC 7636).' })
  @Line(1, 128)
  codeVerifier?: string | null;

  @Field(() => String, { nullable: true, description: 'The state that came back, to be compared here too.' })
  @Line(1, 500)
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'Only with a codeVerifier of your own: the nonce you sent.' })
  @Line(1, 500)
  nonce?: string | null;
}

@InputType({ description: 'What came back from the provider, and proof of who you are.' })
export class LinkSocialAccountInput extends SocialLoginInput {
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

@ObjectType('SocialLink', { simpleResolvers: true, description: 'An account at a provider that logs you in.' })
export class SocialLinkType {
  @Field(() => ID, { description: 'Positive; given once and never again.' })
  id!: number;

  @Field({ description: 'GOOGLE, KAKAO, NAVER or a configured OIDC name.' })
  provider!: string;

  @Field(() => String, { nullable: true, description: 'Its email at the time of linking, where that was verified.' })
  email!: string | null;

  @Field(() => DateTime, { description: 'When it was linked.' })
  createdAt!: Moment;
}
