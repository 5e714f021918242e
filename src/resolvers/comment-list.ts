/** Flat lists and connections of comments: replies, the viewer's own, and those of others on the viewer's articles. */
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID } from '../models/article/article.js';
import { COMMENT_ORDERS, type CommentList, type FoundComments, findComments } from '../models/comment/list.js';
import type { Slice } from '../platform/database/keyset.js';
import type { ErrorKey } from '../platform/error-keys.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedQuery } from '../schema/auth.js';
import {
  CommentConnection,
  CommentConnectionArgs,
  CommentPage,
  HiddenCommentsArgs,
  ReceivedCommentsArgs,
  ReceivedConnectionArgs,
  RepliesArgs,
  ReplyConnectionArgs,
} from '../schema/comment.js';
import { ConnectionArgs } from '../schema/connection.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { Stamped } from '../schema/stamped.js';
import { readerOf, requireOwnArticle, viewerOf } from '../services/auth/policy.js';
import { connectionSlice, toConnection } from './connection.js';
import { parseId, requireRow } from './row.js';

/** A list, by kind and owner, and the error code for a missing owner. */
interface OwnedList {
  list: CommentList;
  ownerId: number;
  missing: ErrorKey;
}

@Resolver()
export class CommentListResolver {
  @Stamped({ kind: 'thread', id: 'commentId', isInQuery: true })
  @Query(() => CommentPage, { nullable: true, description: 'The replies to a comment, oldest first.' })
  async replies(@Args(() => RepliesArgs) args: RepliesArgs, @Ctx() context: Context) {
    return commentPage(context, repliesTo(args.commentId), args);
  }

  @ApiTokenScopes('read', 'comments')
  @AuthorizedQuery(() => CommentPage, {
    description: 'Your comments and replies, newest first, also those that wait for approval.',
  })
  async myComments(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return commentPage(context, ownComments(context), args);
  }

  @ApiTokenScopes('read', 'comments')
  @AuthorizedQuery(() => CommentPage, { description: 'Comments and replies by others on your articles, newest first.' })
  async receivedComments(@Args(() => ReceivedCommentsArgs) args: ReceivedCommentsArgs, @Ctx() context: Context) {
    return commentPage(context, receivedComments(context, args), args);
  }

  @ApiTokenScopes('comments')
  @AuthorizedQuery(() => CommentPage, {
    description: 'The hidden comments and replies on one of your articles, newest first.',
  })
  async hiddenComments(@Args(() => HiddenCommentsArgs) args: HiddenCommentsArgs, @Ctx() context: Context) {
    const missing = 'ARTICLE_NOT_FOUND';
    const ownerId = parseId(args.articleId, missing);
    const articles = context.loaders.byId(ARTICLES_BY_ID, readerOf(context));
    requireOwnArticle(context)(requireRow(await articles.load(ownerId), missing));
    return commentPage(context, { list: 'hiddenOn', ownerId, missing }, args);
  }

  @Stamped({ kind: 'discussion', id: 'articleId' })
  @Query(() => CommentConnection, { nullable: true, description: 'The top-level comments of an article.' })
  async commentConnection(@Args(() => CommentConnectionArgs) args: CommentConnectionArgs, @Ctx() context: Context) {
    const ownerId = parseId(args.articleId, 'ARTICLE_NOT_FOUND');
    return connectionIn(context, { list: COMMENT_ORDERS[args.sort], ownerId, missing: 'ARTICLE_NOT_FOUND' }, args);
  }

  @Stamped({ kind: 'thread', id: 'commentId' })
  @Query(() => CommentConnection, { nullable: true, description: 'The replies to a comment, oldest first.' })
  async replyConnection(@Args(() => ReplyConnectionArgs) args: ReplyConnectionArgs, @Ctx() context: Context) {
    return connectionIn(context, repliesTo(args.commentId), args);
  }

  @ApiTokenScopes('read', 'comments')
  @AuthorizedQuery(() => CommentConnection, { description: 'myComments with cursor pagination.' })
  async myCommentConnection(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context) {
    return connectionIn(context, ownComments(context), args);
  }

  @ApiTokenScopes('read', 'comments')
  @AuthorizedQuery(() => CommentConnection, { description: 'receivedComments with cursor pagination.' })
  async receivedCommentConnection(
    @Args(() => ReceivedConnectionArgs) args: ReceivedConnectionArgs,
    @Ctx() context: Context,
  ) {
    return connectionIn(context, receivedComments(context, args), args);
  }
}

function repliesTo(commentId: string): OwnedList {
  return { list: 'repliesTo', ownerId: parseId(commentId, 'COMMENT_NOT_FOUND'), missing: 'COMMENT_NOT_FOUND' };
}

/** Only readers who see held comments: an API token needs the scope `comments`. */
function ownComments(context: Context): OwnedList {
  return ownList(context, readerOf(context).viewerId === 0 ? 'shownBy' : 'writtenBy');
}

function receivedComments(context: Context, { held }: { held: boolean }): OwnedList {
  if (held) return ownList(context, 'heldFor');
  return ownList(context, readerOf(context).articleReaderId === 0 ? 'receivedOnPublic' : 'receivedBy');
}

/** A missing member was deleted after the token check. */
function ownList(
  context: Context,
  list: 'writtenBy' | 'shownBy' | 'receivedBy' | 'receivedOnPublic' | 'heldFor',
): OwnedList {
  return { list, ownerId: viewerOf(context).memberId, missing: 'UNAUTHENTICATED' };
}

async function commentPage(context: Context, owned: OwnedList, args: PageArgs) {
  const found = await find(context, owned, pageSlice(args));
  context.responseMeta.version = found.version;
  return toPage(args, found);
}

async function connectionIn(context: Context, owned: OwnedList, args: ConnectionArgs) {
  const found = await find(context, owned, connectionSlice(args, owned.list, 'timestamptz'));
  return toConnection(found, args, owned.list);
}

async function find(context: Context, { list, ownerId, missing }: OwnedList, slice: Slice): Promise<FoundComments> {
  const [found] = await findComments(context.database, list, [ownerId], slice, readerOf(context));
  return requireRow(found, missing);
}
