/** Reactions, bookmarks and follows of the viewer. All changes are idempotent. */
import { Args, type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID } from '../models/article/article.js';
import type { ListedArticle } from '../models/article/list.js';
import { ADD_BOOKMARK, REMOVE_BOOKMARK } from '../models/bookmark.js';
import { FOLLOW_MEMBER, UNFOLLOW_MEMBER } from '../models/follow.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { ADD_REACTION, REMOVE_REACTION } from '../models/reaction.js';
import { capitalized, countOf, REACTIONS, type Reaction } from '../models/reaction-kinds.js';
import type { Reader } from '../models/reader.js';
import { ARTICLE_VIEWERS, type ArticleViewer, MEMBER_VIEWERS, type MemberViewer } from '../models/viewer.js';
import type { Statement } from '../platform/database/statement.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleIdArgs, ArticleType } from '../schema/article.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { MemberType } from '../schema/member.js';
import {
  ArticleBookmarkType,
  ArticleViewerType,
  MemberBlockType,
  MemberFollowType,
  MemberViewerType,
  OtherMemberArgs,
  reactionType,
} from '../schema/reaction.js';
import { CoveredBy, STAMP_KINDS } from '../schema/stamped.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class ReactionResolver {
  @ApiTokenScopes('reactions')
  @AuthorizedMutation(() => ArticleBookmarkType, { description: 'Adds an article to your bookmarks; idempotent.' })
  async bookmarkArticle(@Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs, @Ctx() context: Context) {
    return { ...(await change(context, ADD_BOOKMARK, articleId)), bookmarked: true };
  }

  @WhileSuspended()
  @ApiTokenScopes('reactions')
  @AuthorizedMutation(() => ArticleBookmarkType, { description: 'Removes an article from your bookmarks; idempotent.' })
  async removeBookmark(@Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs, @Ctx() context: Context) {
    return { ...(await change(context, REMOVE_BOOKMARK, articleId)), bookmarked: false };
  }

  @ApiTokenScopes('reactions')
  @AuthorizedMutation(() => MemberFollowType, { description: 'Follows a member; idempotent.' })
  async followMember(@Args(() => OtherMemberArgs) { memberId }: OtherMemberArgs, @Ctx() context: Context) {
    const [row] = await context.database.change(FOLLOW_MEMBER, otherMember(context, memberId));
    return { ...requireUnblocked(requireRow(row, 'MEMBER_NOT_FOUND')), following: true };
  }

  @WhileSuspended()
  @ApiTokenScopes('reactions')
  @AuthorizedMutation(() => MemberFollowType, { description: 'Unfollows a member; idempotent.' })
  async unfollowMember(@Args(() => OtherMemberArgs) { memberId }: OtherMemberArgs, @Ctx() context: Context) {
    const unfollowed = parseId(memberId, 'MEMBER_NOT_FOUND');
    const [row] = await context.database.change(UNFOLLOW_MEMBER, [unfollowed, viewerOf(context).memberId]);
    return { ...requireRow(row, 'MEMBER_NOT_FOUND'), following: false };
  }

  @ApiTokenScopes('read')
  @AuthorizedQuery(() => ArticleViewerType, { description: 'What you have done with an article.' })
  async articleViewer(
    @Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs,
    @Ctx() context: Context,
  ): Promise<ArticleViewer> {
    const { memberId } = viewerOf(context);
    return requireRow(
      await articleViewers(context, memberId).load(parseId(articleId, 'ARTICLE_NOT_FOUND')),
      'ARTICLE_NOT_FOUND',
    );
  }
}

const WITHOUT_TOKEN = 'Null without a token.';

// Without a token it is always null, so that no stamp needs to change with it; other responses are not cached.
@CoveredBy(...STAMP_KINDS)
@Resolver(() => ArticleType)
export class ArticleViewerResolver {
  @ApiTokenScopes('read')
  @FieldResolver(() => ArticleViewerType, {
    nullable: true,
    description: `What you have done with the article. ${WITHOUT_TOKEN}`,
  })
  async viewer(@Root() { id }: ListedArticle, @Ctx() context: Context): Promise<ArticleViewer | null> {
    return context.viewer && articleViewers(context, context.viewer.memberId).load(id);
  }
}

@CoveredBy(...STAMP_KINDS)
@Resolver(() => MemberType)
export class MemberViewerResolver {
  @ApiTokenScopes('read')
  @FieldResolver(() => MemberViewerType, {
    nullable: true,
    description: `What you have done with the member. ${WITHOUT_TOKEN}`,
  })
  async viewer(@Root() { id }: MemberRow, @Ctx() { viewer, loaders }: Context): Promise<MemberViewer | null> {
    const found = viewer && (await loaders.byId(MEMBER_VIEWERS, viewer.memberId).load(id));
    // API tokens have no scope for blocks.
    return found && { ...found, blocks: found.blocks && viewer.scopes === null };
  }
}

/** The payloads of changes, with what was changed. */
export const CHANGED_RESOLVERS = [
  ...REACTIONS.flatMap(reactionResolvers),
  withArticle(ArticleBookmarkType),
  withMember(MemberFollowType),
  withMember(MemberBlockType),
];

/** The changes of one kind of reaction. */
function reactionResolvers(reaction: Reaction): ClassType[] {
  const { kind, name, participle } = reaction;
  const type = reactionType(reaction);
  const verb = capitalized(name);

  @Resolver()
  class OneReactionResolver {
    @ApiTokenScopes('reactions')
    @AuthorizedMutation(() => type, { description: `${verb}s an article; idempotent.` })
    async [`${name}Article`](@Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs, @Ctx() context: Context) {
      const { total, ...row } = requireUnblocked(await change(context, ADD_REACTION[kind], articleId));
      return { ...row, [countOf(reaction)]: total, [participle]: true };
    }

    @WhileSuspended()
    @ApiTokenScopes('reactions')
    @AuthorizedMutation(() => type, { description: `Removes your ${name}; idempotent.` })
    async [`un${name}Article`](@Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs, @Ctx() context: Context) {
      const { total, ...row } = await change(context, REMOVE_REACTION[kind], articleId);
      return { ...row, [countOf(reaction)]: total, [participle]: false };
    }
  }
  return [OneReactionResolver, withArticle(type)];
}

function withArticle(payload: ClassType): ClassType {
  @Resolver(() => payload)
  class PayloadResolver {
    @FieldResolver(() => ArticleType, {
      nullable: true,
      description: 'The article after the change; null if it was deleted or hidden from you meanwhile.',
    })
    async article(
      @Root() { articleId }: { articleId: number },
      @Ctx() context: Context,
    ): Promise<ListedArticle | null> {
      context.loaders.forget();
      return context.loaders.byId(ARTICLES_BY_ID, readerOf(context)).load(articleId);
    }
  }
  return PayloadResolver;
}

function withMember(payload: ClassType): ClassType {
  @Resolver(() => payload)
  class PayloadResolver {
    @FieldResolver(() => MemberType, {
      nullable: true,
      description: 'The member after the change; null if the account was deleted meanwhile.',
    })
    async member(@Root() { memberId }: { memberId: number }, @Ctx() { loaders }: Context): Promise<MemberRow | null> {
      loaders.forget();
      return loaders.byId(MEMBERS_BY_ID).load(memberId);
    }
  }
  return PayloadResolver;
}

function articleViewers(context: Context, memberId: number) {
  return context.loaders.byId(ARTICLE_VIEWERS, memberId, readerOf(context));
}

/** @returns the ids of another member and of the viewer. @throws AppError VALIDATION_FAILED if they are the same, MEMBER_NOT_FOUND */
export function otherMember(context: Context, memberId: string): [memberId: number, viewerId: number] {
  const other = parseId(memberId, 'MEMBER_NOT_FOUND');
  const viewerId = viewerOf(context).memberId;
  if (other === viewerId) throw invalid('memberId', createMessage('mustBeOther'));
  return [other, viewerId];
}

/** @throws AppError BLOCKED if a block has prevented the change */
function requireUnblocked<Row extends { isBlocked: boolean }>(row: Row): Row {
  if (row.isBlocked) throw new AppError('BLOCKED');
  return row;
}

type Parameters = [articleId: number, memberId: number, reader: Reader];

function parametersOf(context: Context, articleId: string): Parameters {
  return [parseId(articleId, 'ARTICLE_NOT_FOUND'), viewerOf(context).memberId, readerOf(context)];
}

/** @throws AppError ARTICLE_NOT_FOUND if the viewer does not see the article */
async function change<Row>(context: Context, statement: Statement<Parameters, Row>, articleId: string): Promise<Row> {
  const [row] = await context.database.change(statement, parametersOf(context, articleId));
  return requireRow(row, 'ARTICLE_NOT_FOUND');
}
