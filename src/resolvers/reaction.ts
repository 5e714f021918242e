/** Likes, bookmarks and follows of the viewer. All changes are idempotent. */
import { Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { ADD_BOOKMARK, REMOVE_BOOKMARK } from '../models/bookmark.js';
import { FOLLOW_MEMBER, UNFOLLOW_MEMBER } from '../models/follow.js';
import { ARTICLE_VIEWER, type ArticleViewer, LIKE_ARTICLE, UNLIKE_ARTICLE } from '../models/reaction.js';
import type { Reader } from '../models/reader.js';
import type { Statement } from '../platform/database/statement.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleIdArgs } from '../schema/article.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import {
  ArticleBookmarkType,
  ArticleLikeType,
  ArticleViewerType,
  MemberFollowType,
  OtherMemberArgs,
} from '../schema/reaction.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class ReactionResolver {
  @ApiTokenScopes('reactions')
  @AuthorizedMutation(() => ArticleLikeType, { description: 'Likes an article; idempotent.' })
  async likeArticle(@Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs, @Ctx() context: Context) {
    return { ...requireUnblocked(await change(context, LIKE_ARTICLE, articleId)), liked: true };
  }

  @WhileSuspended()
  @ApiTokenScopes('reactions')
  @AuthorizedMutation(() => ArticleLikeType, { description: 'Removes your like; idempotent.' })
  async unlikeArticle(@Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs, @Ctx() context: Context) {
    return { ...(await change(context, UNLIKE_ARTICLE, articleId)), liked: false };
  }

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
    const [row] = await context.database.query(ARTICLE_VIEWER, parametersOf(context, articleId));
    return requireRow(row, 'ARTICLE_NOT_FOUND');
  }
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
