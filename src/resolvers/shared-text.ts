/** Share links of the authenticated member, and the texts that they lead to. */
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { MISSING_TEXT, shareText } from '../commands/share-text.js';
import type { Context } from '../context.js';
import { SHARED_TEXT, SHARES, type SharedKind, type SharedTextRow, type ShareOfText } from '../models/share-link.js';
import type { Config } from '../platform/config/index.js';
import { networkOf } from '../platform/http/client-address.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation, AuthorizedQuery, BodyOnly, WhileSuspended } from '../schema/auth.js';
import { CONTENT_HTML_COST } from '../schema/cost.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { IdArgs } from '../schema/scalars.js';
import {
  CreatedShareLinkType,
  DEFAULT_SHARE_SECONDS,
  ShareArgs,
  SharedTextArgs,
  SharedTextType,
  ShareLinkType,
} from '../schema/shared-text.js';
import { Unstamped } from '../schema/stamped.js';
import { WaitsForPermit } from '../schema/statements.js';
import { requireAuthor, requireNotRemoved, viewerOf } from '../services/auth/policy.js';
import { hashToken } from '../services/auth/token.js';
import { sizesOf } from '../services/images/store.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { renderPreview } from '../services/rendering/article-html.js';
import { RENDERER_VERSION } from '../services/rendering/renderer.js';
import { toServedHtml } from '../services/rendering/served-html.js';
import { parseId, requireRow } from './row.js';

const NO_LINK: ShareLinkType = { expiresAt: null };

@Resolver()
export class ShareLinkResolver {
  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => ShareLinkType, { description: 'The share link of one of your drafts.' })
  draftShare(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ShareLinkType> {
    return findShare(context, 'draft', id);
  }

  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => ShareLinkType, { description: 'The share link of one of your articles.' })
  articleShare(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ShareLinkType> {
    return findShare(context, 'article', id);
  }

  @IdempotencyKey('ignored: secret')
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => CreatedShareLinkType, {
    description:
      'Creates a link with which anyone can read one of your drafts, also its later changes, until it is published or deleted. ' +
      'Replaces an earlier link.',
  })
  shareDraft(@Args(() => ShareArgs) args: ShareArgs, @Ctx() context: Context): Promise<CreatedShareLinkType> {
    return share(context, 'draft', args);
  }

  @IdempotencyKey('ignored: secret')
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => CreatedShareLinkType, {
    description:
      'Creates a link with which anyone can read one of your articles, also its later changes, whatever its visibility. ' +
      'Replaces an earlier link.',
  })
  shareArticle(@Args(() => ShareArgs) args: ShareArgs, @Ctx() context: Context): Promise<CreatedShareLinkType> {
    return share(context, 'article', args);
  }

  @WhileSuspended()
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ShareLinkType, {
    description: 'Ends the share link of one of your drafts, if there is one.',
  })
  unshareDraft(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ShareLinkType> {
    return unshare(context, 'draft', id);
  }

  @WhileSuspended()
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ShareLinkType, {
    description: 'Ends the share link of one of your articles, if there is one.',
  })
  unshareArticle(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ShareLinkType> {
    return unshare(context, 'article', id);
  }
}

/** @throws AppError DRAFT_NOT_FOUND, ARTICLE_NOT_FOUND, ARTICLE_FORBIDDEN */
async function findShare(context: Context, kind: SharedKind, id: string): Promise<ShareOfText> {
  const viewer = viewerOf(context);
  const key = MISSING_TEXT[kind];
  const [row] = await context.database.query(SHARES[kind].find, [parseId(id, key), viewer.memberId]);
  const found = requireRow(row, key);
  requireAuthor(viewer, found.memberId, 'ARTICLE_FORBIDDEN');
  return found;
}

async function share(context: Context, kind: SharedKind, { id, expiresIn }: ShareArgs): Promise<CreatedShareLinkType> {
  requireNotRemoved((await findShare(context, kind, id)).isRemoved, 'ARTICLE_FORBIDDEN');
  const lifetimeSeconds = expiresIn ?? DEFAULT_SHARE_SECONDS;
  const created = await shareText(context.database, viewerOf(context), { kind, id: Number(id), lifetimeSeconds });
  return { ...created, url: urlOf(context.config, created.token) };
}

/** With the token in the fragment, it appears in no log and no Referer header; the route below is logged by its pattern. */
function urlOf({ shareUrl, publicUrl }: Config, token: string): string {
  return shareUrl === null ? `${publicUrl}/api/shared/${token}` : `${shareUrl}#token=${token}`;
}

async function unshare(context: Context, kind: SharedKind, id: string): Promise<ShareLinkType> {
  await findShare(context, kind, id);
  await context.database.change(SHARES[kind].remove, [Number(id), viewerOf(context).memberId]);
  return NO_LINK;
}

/** A row of `SHARED_TEXT` with what is known of the image. */
type SharedText = SharedTextRow & Pick<SharedTextType, Extract<keyof SharedTextType, `articleImg${string}`>>;

@Resolver(() => SharedTextType)
export class SharedTextResolver {
  @BodyOnly()
  @Unstamped('A link must end at once, so that no response to it may be stored')
  @ApiTokenScopes('public')
  @Query(() => SharedTextType, {
    nullable: true,
    description: 'The text of a share link. Only by POST: the token must not be in a URL.',
  })
  async sharedText(
    @Args(() => SharedTextArgs) { token }: SharedTextArgs,
    @Ctx() context: Context,
  ): Promise<SharedText> {
    const { config, database, images } = context;
    const [row] = await database.query(SHARED_TEXT, [hashToken(token), RENDERER_VERSION]);
    if (!row) await countRead(context);
    const found = requireRow(row, 'SHARE_NOT_FOUND');
    const { image, imageWidth, imageHeight, imageAlt } = found;
    return {
      ...found,
      articleImg: image && images.url(image, config.publicUrl),
      articleImgAlt: imageAlt,
      articleImgWidth: imageWidth,
      articleImgHeight: imageHeight,
      articleImgSizes: image === null ? [] : sizesOf(images, image, imageWidth, config.publicUrl),
    };
  }

  @WaitsForPermit()
  @FieldResolver(() => String, {
    description: 'The content as sanitized HTML, as `contentHtml` of an article.',
    complexity: CONTENT_HTML_COST,
  })
  async contentHtml(@Root() { content, html, images, mentions }: SharedText, @Ctx() context: Context): Promise<string> {
    if (html !== null) return toServedHtml({ html, images, mentions }, context.images, context.config);
    await countRead(context);
    return renderPreview(context, content, mentions);
  }
}

/** Counts what costs more than a statement, or finds nothing. @throws AppError RATE_LIMITED after too many from one network */
async function countRead({ limits, database, client }: Context): Promise<void> {
  assertNotRateLimited(await limits.sharedTexts.count(database, networkOf(client.address)), 'shared texts');
}
