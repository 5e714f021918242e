/** Comments and replies. */
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Extensions, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { deleteComment, editComment, setCommentHidden } from '../commands/comment.js';
import { createComment } from '../commands/create-comment.js';
import { setCommentApproval } from '../commands/set-comment-approval.js';
import type { Context } from '../context.js';
import { RootResult, withRevision } from '../execute.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article/article.js';
import {
  asDeleted,
  type CommentChange,
  type CommentRow,
  EMBEDDED_REPLIES,
  OWN_COMMENTS,
} from '../models/comment/comment.js';
import { HELD_COMMENTS_BY_ID } from '../models/comment/held.js';
import { findComment, type PositionedComment } from '../models/comment/position.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import type { Transaction } from '../platform/database/pool.js';
import { requireRevision } from '../platform/http/if-match.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { AuthorizedMutation, WhileSuspended } from '../schema/auth.js';
import {
  CommentPositionArgs,
  CommentType,
  CreateCommentInput,
  SetCommentApprovalArgs,
  SetCommentHiddenArgs,
  UpdateCommentArgs,
} from '../schema/comment.js';
import { ConditionalIdArgs } from '../schema/condition.js';
import { COMMENT_PAGE_COST } from '../schema/cost.js';
import { MemberType } from '../schema/member.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { COMMENT_STAMPS, CoveredBy, Stamped } from '../schema/stamped.js';
import { InParentRow, WaitsForPermit } from '../schema/statements.js';
import { checkComment } from '../services/approval/check.js';
import {
  readerOf,
  requireArticleAuthor,
  requireCommentAuthor,
  requireNotRemoved,
  viewerOf,
} from '../services/auth/policy.js';
import { clientTask } from '../services/limits/client-task.js';
import { parseId, requireRow } from './row.js';
import { selectionIncludes } from './selection.js';

@CoveredBy(...COMMENT_STAMPS)
@Resolver(() => CommentType)
export class CommentResolver {
  @Stamped({ kind: 'thread', id: 'id', isInQuery: true })
  @Query(() => CommentType, { nullable: true, description: 'One comment or reply.' })
  async comment(
    @Args(() => IdArgs) { id }: IdArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PositionedComment | RootResult<PositionedComment>> {
    const row = parseId(id, 'COMMENT_NOT_FOUND');
    const found = await findComment(context.database, row, readerOf(context), selectionIncludes(info, 'page'));
    const held = found && !found.comment.held ? null : await loadHeld(context, row);
    if (held) return { ...held, before: null };
    const { comment, version } = requireRow(found, 'COMMENT_NOT_FOUND');
    return new RootResult(comment, { version });
  }

  @ApiTokenScopes('comments')
  @AuthorizedMutation(() => CommentType, {
    description: 'Creates a comment on an article, or a reply to a top-level comment.',
  })
  async createComment(
    @Arg('input', () => CreateCommentInput, { description: 'The new comment.' }) input: CreateCommentInput,
    @Ctx() context: Context,
  ): Promise<RootResult<CommentRow>> {
    const { memberId } = viewerOf(context);
    const articleId = parseId(input.articleId, 'ARTICLE_NOT_FOUND');
    const parentId = input.parentId == null ? null : parseId(input.parentId, 'COMMENT_NOT_FOUND');
    const { content } = input;
    const check = checkComment(context.services, content);
    const comment = { articleId, parentId, memberId, content, reader: readerOf(context), check };
    const created = await createComment(context.database, comment);
    context.services.spamModel.refresh(created.spamVersion);
    return withRevision(created);
  }

  @ApiTokenScopes('comments')
  @AuthorizedMutation(() => CommentType, { description: 'Changes the content of your comment or reply.' })
  async updateComment(
    @Args(() => UpdateCommentArgs) { id, content }: UpdateCommentArgs,
    @Ctx() context: Context,
  ): Promise<RootResult<CommentRow>> {
    const row = parseId(id, 'COMMENT_NOT_FOUND');
    const edit = { content, check: checkComment(context.services, content) };
    const edited = await context.database.transaction(async (db) => {
      const { isHeld } = await editComment(db, row, edit, changeBy(context, 'edit'));
      return isHeld ? requireRow(await loadHeld(context, row, db), 'COMMENT_NOT_FOUND') : reload(db, context, row);
    });
    return withRevision(edited);
  }

  @WhileSuspended()
  @ApiTokenScopes('comments')
  @AuthorizedMutation(() => CommentType, {
    description: 'Deletes your comment. If it has replies, a placeholder remains.',
  })
  async deleteComment(
    @Args(() => ConditionalIdArgs) { id }: ConditionalIdArgs,
    @Ctx() context: Context,
  ): Promise<CommentRow> {
    const row = parseId(id, 'COMMENT_NOT_FOUND');
    const { loaders } = context;
    // The viewer's own comments come first: the public row of a comment that waits for approval again says `(held)` to everyone, including its author.
    const found =
      (await loaders.byId(OWN_COMMENTS, viewerOf(context).memberId).load(row)) ??
      (await loaders.commentById(row, readerOf(context))) ??
      (await loadHeld(context, row));
    const comment = requireRow(found, 'COMMENT_NOT_FOUND');
    await deleteComment(context.database, row, changeBy(context, 'deletion'));
    return comment;
  }

  @ApiTokenScopes('comments')
  @AuthorizedMutation(() => CommentType, {
    description: 'Hides a comment or reply on your article, or shows it again; idempotent.',
  })
  async setCommentHidden(
    @Args(() => SetCommentHiddenArgs) { id, hidden }: SetCommentHiddenArgs,
    @Ctx() context: Context,
  ): Promise<CommentRow> {
    const viewer = viewerOf(context);
    const row = parseId(id, 'COMMENT_NOT_FOUND');
    const change = { isHidden: hidden, memberId: viewer.memberId };
    return context.database.transaction(async (db) => {
      await setCommentHidden({ ...context, database: db }, row, change, {
        reader: readerOf(context),
        credentialId: viewer.credentialId,
        check: (comment) => requireArticleAuthor(viewer, comment),
      });
      return reload(db, context, row);
    });
  }

  @ApiTokenScopes('comments')
  @AuthorizedMutation(() => CommentType, {
    description:
      'Shows a comment that waits for approval, or deletes it, in which case it is returned as deleted. For the author of the ' +
      'article and moderators, whose deletion is a decision, of which its author is notified and which the author can appeal; approval is idempotent.',
  })
  async setCommentApproval(
    @Args(() => SetCommentApprovalArgs) { id, approved }: SetCommentApprovalArgs,
    @Ctx() context: Context,
  ): Promise<CommentRow> {
    const row = parseId(id, 'COMMENT_NOT_FOUND');
    const viewer = viewerOf(context);
    const approval = { id: row, isApproved: approved, ifMatch: context.ifMatch };
    if (approved) {
      return context.database.transaction(async (db) => {
        await setCommentApproval({ ...context, database: db }, approval, viewer);
        return reload(db, context, row);
      });
    }
    const found = await loadHeld(context, row);
    await setCommentApproval(context, approval, viewer);
    return asDeleted(requireRow(found, 'COMMENT_NOT_FOUND'));
  }

  @CoveredBy(...COMMENT_STAMPS, 'journal')
  @FieldResolver(() => MemberType, {
    nullable: true,
    description: 'The author; null if the author withdrew or the comment was deleted.',
  })
  async author(@Root() comment: CommentRow, @Ctx() context: Context): Promise<MemberRow | null> {
    return comment.memberId === 0 ? null : context.loaders.byId(MEMBERS_BY_ID).load(comment.memberId);
  }

  @CoveredBy('article', 'slug', 'summary')
  @FieldResolver(() => ArticleType, {
    nullable: true,
    description: 'The article that the comment belongs to; null if it is private, and not yours.',
  })
  async article(@Root() comment: CommentRow, @Ctx() context: Context): Promise<ArticleRow | null> {
    return context.loaders.byId(ARTICLES_BY_ID, readerOf(context)).load(comment.articleId);
  }

  @FieldResolver(() => CommentType, {
    nullable: true,
    description: 'The comment that this replies to; null for a top-level comment.',
  })
  async parent(@Root() comment: CommentRow, @Ctx() context: Context): Promise<CommentRow | null> {
    return comment.parentId === null ? null : context.loaders.commentById(comment.parentId, readerOf(context));
  }

  @InParentRow('comment')
  @WaitsForPermit()
  @Extensions({ example: 1 })
  @FieldResolver(() => Int, {
    description:
      'The number of the page that contains the comment (for a reply: its parent), in the top-level comments of the article, newest first.',
    complexity: COMMENT_PAGE_COST,
  })
  async page(
    @Root() comment: CommentRow & Partial<PositionedComment>,
    @Args(() => CommentPositionArgs) { size }: CommentPositionArgs,
    @Ctx() context: Context,
  ): Promise<number> {
    // Nothing is waited for in a transaction.
    const runWithPermit = <Found>(find: () => Promise<Found>) =>
      context.deferredHtml ? find() : context.limits.searches.run(clientTask(context), find);
    const before =
      comment.before ?? (await context.loaders.commentPosition(runWithPermit, readerOf(context)).load(comment.id));
    return Math.floor(before / size) + 1;
  }

  @InParentRow('comments')
  @MaxItems(EMBEDDED_REPLIES)
  @FieldResolver(() => [CommentType], { description: 'The first 100 replies, oldest first. Empty for a reply.' })
  replies(@Root() comment: CommentRow, @Ctx() context: Context): Promise<CommentRow[]> | CommentRow[] {
    return comment.parentId === null ? context.loaders.repliesOf(comment.id, () => readerOf(context)) : [];
  }
}

/** The check throws COMMENT_NOT_FOUND, COMMENT_FORBIDDEN, PRECONDITION_FAILED. */
function changeBy(context: Context, change: 'edit' | 'deletion'): CommentChange {
  const viewer = viewerOf(context);
  const check: CommentChange['check'] = (comment) => {
    requireCommentAuthor(viewer, comment, change);
    if (change === 'edit') requireNotRemoved(comment.removedAt !== null, 'COMMENT_FORBIDDEN');
    requireRevision(context.ifMatch, comment.revision);
  };
  const credentialId = change === 'edit' ? viewer.credentialId : null;
  return { reader: readerOf(context), credentialId, held: 'of reader', check };
}

/** A comment that waits for approval; null if the viewer does not see it. @param db the transaction that has changed it, to read it again */
async function loadHeld({ loaders, viewer }: Context, id: number, db?: Transaction): Promise<CommentRow | null> {
  const reader = readerOf({ viewer });
  if (reader.viewerId === 0) return null;
  if (db) return loaders.reload(db, id, HELD_COMMENTS_BY_ID, reader);
  return loaders.byId(HELD_COMMENTS_BY_ID, reader).load(id);
}

/** Reads a comment again in the transaction that has changed it: an article that has become private meanwhile rolls it back. */
async function reload(db: Transaction, context: Context, id: number): Promise<CommentRow> {
  return requireRow(await context.loaders.reloadComment(db, id, readerOf(context)), 'COMMENT_NOT_FOUND');
}
