/** GraphQL types of comments, and the inputs of their authors. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { COMMENT_CONTENT_COST } from './cost.js';
import { PageArgs, Pagination } from './page.js';
import { DateTime, type Moment } from './scalars.js';
import { Id, Prose } from './validators.js';

@ObjectType('Comment', { simpleResolvers: true, description: 'A comment on an article, or a reply to one.' })
export class CommentType {
  @Field(() => ID, { description: 'Positive; given once and never again.' })
  id!: number;

  @Field({ description: '`(deleted)` where only the place is kept.', complexity: COMMENT_CONTENT_COST })
  content!: string;

  @Field(() => ID, { description: '0 where the author withdrew or the comment was deleted.' })
  memberId!: number;

  @Field({ description: "The author's display name, `(deleted)` or `(withdrawn)`." })
  authorName!: string;

  @Field(() => ID, { description: 'The article that it is about.' })
  articleId!: number;

  @Field(() => ID, { nullable: true, description: 'The top-level comment that this is a reply to.' })
  parentId!: number | null;

  @Field(() => DateTime, { description: 'When it was said.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'When its words last changed.' })
  updatedAt!: Moment;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of comments.' })
export class CommentPage {
  @Field(() => [CommentType], { description: 'The comments of this page; none past the end.' })
  contents!: CommentType[];

  @Field(() => Pagination, { description: 'Where the page stands.' })
  pagination!: Pagination;
}

@ArgsType()
export class CommentsArgs extends PageArgs {
  @Field(() => ID, { description: 'The article.' })
  @Id()
  articleId!: string;
}

@InputType({ description: 'A new comment or reply.' })
export class CreateCommentInput {
  @Field(() => ID, { description: 'The article to comment on.' })
  @Id()
  articleId!: string;

  @Field({ description: '1 to 1,000 characters.' })
  @Prose(1, 1000)
  content!: string;

  @Field(() => ID, { nullable: true, description: 'A top-level comment of the same article, to reply to it.' })
  @Id()
  parentId?: string | null;
}
