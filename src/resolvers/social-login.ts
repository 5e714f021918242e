/** Social login and the linked accounts. */
import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { requireProof } from '../auth/login.js';
import { beginLogin, checkCallback, identify } from '../auth/oauth/identify.js';
import { viewerOf } from '../auth/policy.js';
import type { TokenPair } from '../auth/session.js';
import { linkSocially, logInSocially, requireLink, unlinkSocially } from '../commands/social-login.js';
import type { Context } from '../context.js';
import { MEMBER_LINKS, type SocialLinkRow } from '../models/social-link.js';
import { Tokens } from '../schema/auth.js';
import {
  LinkSocialAccountInput,
  SocialLinkType,
  SocialLoginInput,
  SocialLoginUrl,
  SocialLoginUrlArgs,
  UnlinkArgs,
} from '../schema/social-login.js';

@Resolver()
export class SocialLoginResolver {
  @Query(() => [String], { description: 'The login providers that are configured.' })
  socialProviders(@Ctx() { config }: Context): string[] {
    return config.oauthProviders.map(({ name }) => name);
  }

  @Query(() => SocialLoginUrl, { description: 'Begins a login at a provider, or the linking of one.' })
  socialLoginUrl(
    @Args(() => SocialLoginUrlArgs) { provider, redirectUri }: SocialLoginUrlArgs,
    @Ctx() context: Context,
  ): Promise<SocialLoginUrl> {
    return beginLogin(context, provider, redirectUri);
  }

  @Mutation(() => Tokens, {
    description: 'Opens a session for whom the provider vouches for; makes the account at first.',
  })
  async socialLogin(
    @Arg('input', () => SocialLoginInput, { description: 'What came back from the provider.' }) input: SocialLoginInput,
    @Ctx() context: Context,
  ): Promise<TokenPair> {
    return logInSocially(context, await identify(context, input));
  }

  @Authorized()
  @Query(() => [SocialLinkType], { description: 'The accounts at providers that log you in.' })
  socialLinks(@Ctx() context: Context): Promise<SocialLinkRow[]> {
    return context.database.query(MEMBER_LINKS, [viewerOf(context).memberId]);
  }

  @Authorized()
  @Mutation(() => SocialLinkType, { description: 'Links an account at a provider to yours.' })
  async linkSocialAccount(
    @Arg('input', () => LinkSocialAccountInput, { description: 'What came back from the provider, and proof.' })
    input: LinkSocialAccountInput,
    @Ctx() context: Context,
  ): Promise<SocialLinkRow> {
    const viewer = viewerOf(context);
    checkCallback(context, input);
    const passwordHash = await requireProof(context, viewer, input.password);
    return linkSocially(context, viewer.memberId, await identify(context, input), passwordHash);
  }

  @Authorized()
  @Mutation(() => SocialLinkType, { description: 'Unlinks an account at a provider; some way to log in must be left.' })
  async unlinkSocialAccount(
    @Args(() => UnlinkArgs) { provider, password }: UnlinkArgs,
    @Ctx() context: Context,
  ): Promise<SocialLinkRow> {
    const viewer = viewerOf(context);
    await requireLink(context, viewer.memberId, provider);
    const passwordHash = await requireProof(context, viewer, password);
    return unlinkSocially(context, viewer.memberId, provider, passwordHash);
  }
}
