/** The viewer's lists as a reader: bookmarks, followed members and their articles. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Authorized, Ctx, Info, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import type { ArticleIncludes, FoundArticles } from '../models/article/list.js';
import { findBookmarks } from '../models/bookmark.js';
import { findFollowedArticles, findFollowing, isReachable, MAX_FOLLOWED_ARTICLES } from '../models/follow.js';
import type { Slice } from '../platform/database/keyset.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleConnection, ArticlePage } from '../schema/article-list.js';
import { ConnectionArgs } from '../schema/connection.js';
import { listCost } from '../schema/cost.js';
import { MemberConnection, MemberPage } from '../schema/member.js';
import { PageArgs, paginate } from '../schema/page.js';
import { articleReaderOf, viewerOf } from '../services/auth/policy.js';
import { readSlice, toConnection } from './connection.js';
import { articleIncludes } from './selection.js';

@Resolver()
export class ReadingListResolver {
  @Authorized()
  @ApiTokenScopes('read')
  @Query(() => ArticlePage, {
    nullable: true,
    description: 'Your bookmarks, latest first, in numbered pages. Authentication required.',
    complexity: listCost,
  })
  bookmarks(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    const includes = articleIncludes(info, 'contents');
    return pageOf(args, (slice) => ownBookmarks(context, slice, includes));
  }

  @Authorized()
  @ApiTokenScopes('read')
  @Query(() => ArticleConnection, {
    nullable: true,
    description: 'Your bookmarks, latest first, with cursor pagination. Authentication required.',
    complexity: listCost,
  })
  bookmarkConnection(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const includes = articleIncludes(info, 'edges.node');
    return connectionOf('bookmarks', args, (slice) => ownBookmarks(context, slice, includes));
  }

  @Authorized()
  @ApiTokenScopes('read')
  @Query(() => MemberPage, {
    nullable: true,
    description: 'The members that you follow, the last followed first, in numbered pages. Authentication required.',
    complexity: listCost,
  })
  following(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return pageOf(args, (slice) => findFollowing(context.database, viewerOf(context).memberId, slice));
  }

  @Authorized()
  @ApiTokenScopes('read')
  @Query(() => MemberConnection, {
    nullable: true,
    description:
      'The members that you follow, the last followed first, with cursor pagination. Authentication required.',
    complexity: listCost,
  })
  followingConnection(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context) {
    const find = (slice: Slice) => findFollowing(context.database, viewerOf(context).memberId, slice);
    return connectionOf('following', args, find);
  }

  @Authorized()
  @ApiTokenScopes('read')
  @Query(() => ArticlePage, {
    nullable: true,
    description: `Public articles of the members that you follow, newest first, in numbered pages of the first ${MAX_FOLLOWED_ARTICLES}. Authentication required.`,
    complexity: listCost,
  })
  followedArticles(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    const includes = articleIncludes(info, 'contents');
    return pageOf(args, async (slice) => {
      const found = await followedArticles(context, slice, includes);
      if (!isReachable(slice) && found.total > (slice.offset ?? 0))
        throw invalid('page', createMessage('pageTooFar', MAX_FOLLOWED_ARTICLES));
      return found;
    });
  }

  @Authorized()
  @ApiTokenScopes('read')
  @Query(() => ArticleConnection, {
    nullable: true,
    description:
      'Public articles of the members that you follow, newest first, with cursor pagination. Authentication required.',
    complexity: listCost,
  })
  followedArticleConnection(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const includes = articleIncludes(info, 'edges.node');
    return connectionOf('followedArticles', args, (slice) => followedArticles(context, slice, includes));
  }
}

function ownBookmarks(context: Context, slice: Slice, includes: ArticleIncludes): Promise<FoundArticles> {
  const reader = { memberId: viewerOf(context).memberId, articleReaderId: articleReaderOf(context) };
  return findBookmarks(context.database, reader, slice, includes);
}

function followedArticles(context: Context, slice: Slice, includes: ArticleIncludes): Promise<FoundArticles> {
  return findFollowedArticles(context.database, viewerOf(context).memberId, slice, includes);
}

interface Found<Node> {
  contents: Node[];
  positions: FoundArticles['positions'];
  total: number;
}

async function pageOf<Node>({ page, size }: PageArgs, find: (slice: Slice) => Promise<Found<Node>>) {
  const { contents, total } = await find({ limit: size, offset: (page - 1) * size });
  return { contents, pagination: paginate({ page, size }, total) };
}

/** @param order the order name in cursors */
async function connectionOf<Node>(order: string, args: ConnectionArgs, find: (slice: Slice) => Promise<Found<Node>>) {
  return toConnection(await find(readSlice(args, order, 'timestamptz')), args, order);
}
