/** GraphQL types of comments, the inputs of their authors, and the arguments of lists. */
import { ArgsType, type ClassType, Extensions, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MAX_COMMENT_LENGTH } from '../models/comment/comment.js';
import type { CommentOrder } from '../models/comment/list.js';
import { withCondition } from './condition.js';
import { withConnection } from './connection.js';
import { COMMENT_CONTENT_COST } from './cost.js';
import { listArgs, listOf } from './list.js';
import { RegisterInput } from './member.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, withPage } from './page.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, idArgs, type Moment, orderEnumOf } from './scalars.js';
import { Id, IdField, Prose, WholeNumber } from './validators.js';

const DEFAULT_ORDER: CommentOrder = 'createdAt,desc';

@ObjectType('Comment', { description: 'A comment on an article, or a reply to one.' })
export class CommentType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @LimitedAs(() => CreateCommentInput, 'content')
  @Field({
    description:
      'The text; `(deleted)` for a deleted comment that remains because it has replies, `(held)` for one that waits for approval ' +
      'again, `(removed)` for one that a moderator has removed, except for its author and moderators, `(hidden)` for a hidden one, except for ' +
      'its author and the author of the article; `(blocked)` if one of you blocks the other.',
    complexity: COMMENT_CONTENT_COST,
  })
  content!: string;

  @Field(() => ID, { description: 'ID of the author; 0 if the author withdrew or the comment was deleted.' })
  memberId!: number;

  @LimitedAs(() => RegisterInput, 'nickname')
  @Field({ description: "The author's display name, `(deleted)`, `(held)` or `(withdrawn)`." })
  authorName!: string;

  @Field(() => ID, { description: 'The article that the comment belongs to.' })
  articleId!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the top-level comment that this replies to; null for a top-level comment.',
  })
  parentId!: number | null;

  @Field({ description: 'Whether the author of the article hid the comment.' })
  hidden!: boolean;

  @Field({
    description:
      'Whether it waits for approval. Only its author, the author of the article and moderators see it until then, ' +
      'but one with replies keeps its place.',
  })
  held!: boolean;

  @Extensions({ example: false })
  @Field({ description: 'Whether a moderator has removed it. It can be restored for some time, and is deleted then.' })
  removed!: boolean;

  @Field(() => Int, {
    description: 'Revision number, increased by each edit of the content. For `ifRevision` and the header If-Match.',
  })
  revision!: number;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'Time of the last change of the content, in UTC.' })
  updatedAt!: Moment;
}

export const CommentList = listOf('Comment', () => CommentType, 'comments');

const CommentSort = orderEnumOf(
  'CommentSort',
  'Sort order of comments. Ties are broken by id, in the same direction.',
  {
    'createdAt,asc': 'Oldest first.',
    'createdAt,desc': 'Newest first.',
  } satisfies Record<CommentOrder, string>,
);

function withOrder<Args extends object>(args: ClassType<Args>, note: string) {
  @ArgsType()
  class OrderedArgs extends (args as ClassType) {
    @Field(() => CommentSort, { defaultValue: DEFAULT_ORDER, description: `Sort order. ${note}` })
    sort!: CommentOrder;
  }
  return OrderedArgs as ClassType<Args & OrderedArgs>;
}

const OfArticle = idArgs('articleId', 'ID of the article.');
const OF_CURSORS = 'A cursor is valid only for the order that it was created with.';

export const CommentsArgs = {
  page: withPage(withOrder(OfArticle, 'Replies are always oldest first.')),
  connection: withConnection(withOrder(OfArticle, OF_CURSORS)),
};

/** Of `Article.commentPage`. */
export const CommentPageArgs = withPage(withOrder(class {}, 'Replies are always oldest first.'));
export type CommentPageArgs = InstanceType<typeof CommentPageArgs>;

/** Of `Article.comments`. */
export const ArticleCommentsArgs = withConnection(withOrder(class {}, OF_CURSORS));
export type ArticleCommentsArgs = InstanceType<typeof ArticleCommentsArgs>;

export const RepliesArgs = listArgs(idArgs('commentId', 'ID of the top-level comment.'));

@InputType({ description: 'Input for a new comment or reply.' })
export class CreateCommentInput {
  @IdField('ID of the article to comment on.')
  articleId!: string;

  @Field({ description: '{range} characters.' })
  @Prose(1, MAX_COMMENT_LENGTH)
  content!: string;

  @IdField('For a reply: ID of a top-level comment on the same article.', { nullable: true })
  parentId?: string | null;
}

@ArgsType()
export class CommentPositionArgs {
  @Field(() => Int, { defaultValue: DEFAULT_PAGE_SIZE, description: 'Comments per page, {range}.' })
  @WholeNumber(1, MAX_PAGE_SIZE)
  size!: number;
}

/** The arguments of REST for one comment and its position in the list. */
@ArgsType()
export class PositionedCommentArgs extends CommentPositionArgs {
  @Field(() => ID)
  @Id()
  id!: string;
}

export const HiddenCommentsArgs = withPage(idArgs('articleId', 'ID of one of your articles.'));
export type HiddenCommentsArgs = InstanceType<typeof HiddenCommentsArgs>;

@ArgsType()
class OfArticlesArgs {
  @Field({
    defaultValue: false,
    description: 'Whether to list the comments that wait for approval, in place of the others.',
  })
  held!: boolean;
}

export const ReceivedCommentsArgs = listArgs(OfArticlesArgs);

@ArgsType()
export class SetCommentApprovalArgs extends withCondition(idArgs('id', 'ID of a held comment or reply.')) {
  @Field({ description: 'Whether it is shown. If not, it is deleted.' })
  approved!: boolean;
}

@ArgsType()
export class UpdateCommentArgs extends withCondition(idArgs('id', 'ID of one of your comments or replies.')) {
  @Field({ description: '{range} characters.' })
  @Prose(1, MAX_COMMENT_LENGTH)
  content!: string;
}

@ArgsType()
export class SetCommentHiddenArgs {
  @IdField('ID of a comment or reply on one of your articles.')
  id!: string;

  @Field({ description: 'Whether its content is hidden from everyone except its author and you.' })
  hidden!: boolean;
}
