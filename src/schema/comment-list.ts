/** Arguments of flat lists of comments, and of editing a comment. */
import { ArgsType, Field, ID } from 'type-graphql';
import { CommentType } from './comment.js';
import { ConnectionArgs, connectionOf } from './connection.js';
import { PageArgs } from './page.js';
import { Id, Prose } from './validators.js';

export const CommentConnection = connectionOf('Comment', () => CommentType);

@ArgsType()
export class RepliesArgs extends PageArgs {
  @Field(() => ID, { description: 'ID of the top-level comment.' })
  @Id()
  commentId!: string;
}

@ArgsType()
export class ReplyConnectionArgs extends ConnectionArgs {
  @Field(() => ID, { description: 'ID of the top-level comment.' })
  @Id()
  commentId!: string;
}

@ArgsType()
export class CommentConnectionArgs extends ConnectionArgs {
  @Field(() => ID, { description: 'ID of the article.' })
  @Id()
  articleId!: string;
}

@ArgsType()
export class UpdateCommentArgs {
  @Field(() => ID, { description: 'ID of one of your comments or replies.' })
  @Id()
  id!: string;

  @Field({ description: '1 to 1,000 characters.' })
  @Prose(1, 1000)
  content!: string;
}
