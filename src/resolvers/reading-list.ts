/** The viewer's lists as a reader: bookmarks, followed members and their articles. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import type { ArticleIncludes, FoundArticles } from '../models/article/list.js';
import { findBookmarks } from '../models/bookmark.js';
import { findFollowedArticles, findFollowing, isReachable, MAX_FOLLOWED_ARTICLES } from '../models/follow.js';
import type { Slice } from '../platform/database/keyset.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleConnection, ArticlePage } from '../schema/article-list.js';
import { AuthorizedQuery } from '../schema/auth.js';
import { ConnectionArgs } from '../schema/connection.js';
import { MemberConnection, MemberPage } from '../schema/member.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { connectionSlice, toConnection } from './connection.js';
import { articleIncludes } from './selection.js';

@Resolver()
export class ReadingListResolver {
  @ApiTokenScopes('read')
  @AuthorizedQuery(() => ArticlePage, { description: 'Your bookmarks, latest first, in numbered pages.' })
  async bookmarks(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    const includes = articleIncludes(info, 'contents');
    return toPage(args, await ownBookmarks(context, pageSlice(args), includes));
  }

  @ApiTokenScopes('read')
  @AuthorizedQuery(() => ArticleConnection, { description: 'Your bookmarks, latest first, with cursor pagination.' })
  bookmarkConnection(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const includes = articleIncludes(info, 'edges.node');
    return readConnection('bookmarks', args, (slice) => ownBookmarks(context, slice, includes));
  }

  @ApiTokenScopes('read')
  @AuthorizedQuery(() => MemberPage, {
    description: 'The members that you follow, the last followed first, in numbered pages.',
  })
  async following(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return toPage(args, await findFollowing(context.database, viewerOf(context).memberId, pageSlice(args)));
  }

  @ApiTokenScopes('read')
  @AuthorizedQuery(() => MemberConnection, {
    description: 'The members that you follow, the last followed first, with cursor pagination.',
  })
  followingConnection(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context) {
    const find = (slice: Slice) => findFollowing(context.database, viewerOf(context).memberId, slice);
    return readConnection('following', args, find);
  }

  @ApiTokenScopes('read')
  @AuthorizedQuery(() => ArticlePage, {
    description: `Public articles of the members that you follow, newest first, in numbered pages of the first ${MAX_FOLLOWED_ARTICLES}.`,
  })
  async followedArticles(
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const includes = articleIncludes(info, 'contents');
    const slice = pageSlice(args);
    const found = await followedArticles(context, slice, includes);
    if (!isReachable(slice) && found.total > slice.offset)
      throw invalid('page', createMessage('pageTooFar', MAX_FOLLOWED_ARTICLES));
    return toPage(args, found);
  }

  @ApiTokenScopes('read')
  @AuthorizedQuery(() => ArticleConnection, {
    description: 'Public articles of the members that you follow, newest first, with cursor pagination.',
  })
  followedArticleConnection(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const includes = articleIncludes(info, 'edges.node');
    return readConnection('followedArticles', args, (slice) => followedArticles(context, slice, includes));
  }
}

function ownBookmarks(context: Context, slice: Slice, includes: ArticleIncludes): Promise<FoundArticles> {
  const owner = { memberId: viewerOf(context).memberId, reader: readerOf(context) };
  return findBookmarks(context.database, owner, slice, includes);
}

function followedArticles(context: Context, slice: Slice, includes: ArticleIncludes): Promise<FoundArticles> {
  return findFollowedArticles(context.database, viewerOf(context).memberId, slice, includes);
}

interface Found<Node> {
  contents: Node[];
  positions: FoundArticles['positions'];
  total: number;
}

/** @param order the order name in cursors */
async function readConnection<Node>(order: string, args: ConnectionArgs, find: (slice: Slice) => Promise<Found<Node>>) {
  return toConnection(await find(connectionSlice(args, order, 'timestamptz')), args, order);
}
