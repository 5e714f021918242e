/** Lists of comments: of an article, replies, the viewer's own, and those of others on the viewer's articles. */
import { Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID } from '../models/article/article.js';
import type { CommentRow } from '../models/comment/comment.js';
import {
  COMMENT_ORDERS,
  type CommentList as CommentListName,
  type CommentOrder,
  findComments,
} from '../models/comment/list.js';
import { findCommentPage } from '../models/comment/page.js';
import type { Slice } from '../platform/database/keyset.js';
import type { ErrorKey } from '../platform/error-keys.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedQuery } from '../schema/auth.js';
import { CommentList, CommentsArgs, HiddenCommentsArgs, ReceivedCommentsArgs, RepliesArgs } from '../schema/comment.js';
import { pageSlice, toPage } from '../schema/page.js';
import { readerOf, requireOwnArticle, viewerOf } from '../services/auth/policy.js';
import type { List } from './connection.js';
import { ownList, publicList, type Selection } from './list.js';
import { parseId, requireRow } from './row.js';
import { selectionIncludes } from './selection.js';

export const COMMENT_LISTS = [
  publicList(
    { kind: 'discussion', id: 'articleId', nullable: true },
    {
      names: ['comments', 'commentConnection'],
      types: CommentList,
      args: CommentsArgs,
      description: same('The top-level comments of an article.'),
      open: commentsOfArticle,
    },
  ),
  publicList(
    { kind: 'thread', id: 'commentId', nullable: true },
    {
      names: ['replies', 'replyConnection'],
      types: CommentList,
      args: RepliesArgs,
      description: same('The replies to a comment, oldest first.'),
      open: (context, { commentId }) =>
        listOf(context, 'repliesTo', parseId(commentId, 'COMMENT_NOT_FOUND'), 'COMMENT_NOT_FOUND'),
    },
  ),
  ownList(['read', 'comments'], {
    names: ['myComments', 'myCommentConnection'],
    types: CommentList,
    description: [
      'Your comments and replies, newest first, also those that wait for approval.',
      'myComments with cursor pagination.',
    ],
    // Held comments only for readers who see them: an API token needs the scope `comments`.
    open: (context) => listOfViewer(context, readerOf(context).viewerId === 0 ? 'shownBy' : 'writtenBy'),
  }),
  ownList(['read', 'comments'], {
    names: ['receivedComments', 'receivedCommentConnection'],
    types: CommentList,
    args: ReceivedCommentsArgs,
    description: [
      'Comments and replies by others on your articles, newest first.',
      'receivedComments with cursor pagination.',
    ],
    open: (context, { held }) => {
      if (held) return listOfViewer(context, 'heldFor');
      return listOfViewer(context, readerOf(context).articleReaderId === 0 ? 'receivedOnPublic' : 'receivedBy');
    },
  }),
];

@Resolver()
export class HiddenCommentsResolver {
  @ApiTokenScopes('comments')
  @AuthorizedQuery(() => CommentList.page, {
    description: 'The hidden comments and replies on one of your articles, newest first.',
  })
  async hiddenComments(@Args(() => HiddenCommentsArgs) args: HiddenCommentsArgs, @Ctx() context: Context) {
    const missing = 'ARTICLE_NOT_FOUND';
    const ownerId = parseId(args.articleId, missing);
    const articles = context.loaders.byId(ARTICLES_BY_ID, readerOf(context));
    requireOwnArticle(context)(requireRow(await articles.load(ownerId), missing));
    return toPage(args, await listOf(context, 'hiddenOn', ownerId, missing).find(pageSlice(args)));
  }
}

function same(text: string): readonly [string, string] {
  return [text, text];
}

export function commentsOfArticle(
  context: Context,
  args: { articleId: string; sort: CommentOrder },
  { info, path }: Selection,
): List<CommentRow> {
  const articleId = parseId(args.articleId, 'ARTICLE_NOT_FOUND');
  const list = listOf(context, COMMENT_ORDERS[args.sort], articleId, 'ARTICLE_NOT_FOUND');
  if (path !== 'contents') return list;
  const replies = selectionIncludes(info, 'contents.replies');
  // At any depth: `replies` of the `parent` of a reply are those that the page query returned.
  const authorNames = selectionIncludes(info, 'contents.**.authorName');
  const details = ['hidden', 'held', 'removed', 'revision'].some((name) =>
    selectionIncludes(info, `contents.**.${name}`),
  );
  const find = async ({ limit, offset = 0 }: Slice) => {
    const found = await findCommentPage(context.database, {
      articleId,
      size: limit,
      offset,
      reader: readerOf(context),
      isOldestFirst: args.sort === 'createdAt,asc',
      includes: { replies, authorNames, details },
    });
    const page = requireRow(found, 'ARTICLE_NOT_FOUND');
    // For the field resolver `replies`.
    for (const [index, replies] of page.replies.entries()) {
      context.loaders.embedReplies(page.contents[index]?.id ?? 0, replies);
    }
    return { ...page, positions: [] };
  };
  return { ...list, find };
}

/** A missing member was deleted after the token check. */
function listOfViewer(
  context: Context,
  list: 'writtenBy' | 'shownBy' | 'receivedBy' | 'receivedOnPublic' | 'heldFor',
): List<CommentRow> {
  return listOf(context, list, viewerOf(context).memberId, 'UNAUTHENTICATED');
}

/** @param missing the error key for a missing owner */
function listOf(context: Context, order: CommentListName, ownerId: number, missing: ErrorKey): List<CommentRow> {
  const find = async (slice: Slice) => {
    const [found] = await findComments(context.database, order, [ownerId], slice, readerOf(context));
    return requireRow(found, missing);
  };
  return { order, type: 'timestamptz', find };
}
