/** Social login and the linked accounts. */
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { linkSocialAccount, logInWithProvider, requireLink, unlinkSocialAccount } from '../commands/social-login.js';
import type { Context } from '../context.js';
import { MEMBER_LINKS, type SocialLinkRow } from '../models/member/social-link.js';
import { AuthorizedMutation, AuthorizedQuery, TokenIgnored, Tokens, WhileSuspended } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import {
  LinkSocialAccountInput,
  LoginProvider,
  SocialLinkType,
  SocialLoginInput,
  SocialLoginUrl,
  SocialLoginUrlArgs,
  UnlinkArgs,
} from '../schema/social-login.js';
import { Unstamped } from '../schema/stamped.js';
import { requireProof } from '../services/auth/login.js';
import { beginLogin, checkCallback, identify } from '../services/auth/oauth/identify.js';
import { viewerOf } from '../services/auth/policy.js';
import type { TokenPair } from '../services/auth/session.js';

@Resolver()
export class SocialLoginResolver {
  @TokenIgnored()
  @Unstamped('It depends on the configuration only.')
  @Query(() => [LoginProvider], { description: 'The configured login providers.' })
  loginProviders(@Ctx() { config }: Context): LoginProvider[] {
    return config.oauthProviders.map(({ name }) => ({ provider: name }));
  }

  @TokenIgnored()
  @Unstamped('Each response contains a new secret.')
  @Query(() => SocialLoginUrl, {
    nullable: true,
    description: 'Starts a social login, or the linking of a social account.',
  })
  socialLoginUrl(
    @Args(() => SocialLoginUrlArgs) { provider, redirectUri }: SocialLoginUrlArgs,
    @Ctx() context: Context,
  ): Promise<SocialLoginUrl> {
    return beginLogin(context, provider, redirectUri);
  }

  @IdempotencyKey('ignored: secret')
  @TokenIgnored()
  @Mutation(() => Tokens, { description: 'Logs in with a social account. The first login creates an account.' })
  async socialLogin(
    @Arg('input', () => SocialLoginInput, { description: 'Parameters of the callback.' }) input: SocialLoginInput,
    @Ctx() context: Context,
  ): Promise<TokenPair> {
    return logInWithProvider(context, await identify(context, input), input.invitation);
  }

  @AuthorizedQuery(() => [SocialLinkType], { description: 'The social accounts that are linked to yours.' })
  socialLinks(@Ctx() context: Context): Promise<SocialLinkRow[]> {
    return context.database.query(MEMBER_LINKS, [viewerOf(context).memberId]);
  }

  @AuthorizedMutation(() => SocialLinkType, { description: 'Links a social account to yours.' })
  async linkSocialAccount(
    @Arg('input', () => LinkSocialAccountInput, { description: 'Parameters of the callback, and re-authentication.' })
    input: LinkSocialAccountInput,
    @Ctx() context: Context,
  ): Promise<SocialLinkRow> {
    const viewer = viewerOf(context);
    checkCallback(context, input);
    const passwordHash = await requireProof(context, viewer, input.password);
    return linkSocialAccount(context, viewer, await identify(context, input), passwordHash);
  }

  @WhileSuspended()
  @AuthorizedMutation(() => SocialLinkType, {
    description: 'Unlinks a social account; another login method must remain.',
  })
  async unlinkSocialAccount(
    @Args(() => UnlinkArgs) { provider, password }: UnlinkArgs,
    @Ctx() context: Context,
  ): Promise<SocialLinkRow> {
    const viewer = viewerOf(context);
    await requireLink(context, viewer.memberId, provider);
    const passwordHash = await requireProof(context, viewer, password);
    return unlinkSocialAccount(context, viewer, provider, passwordHash);
  }
}
