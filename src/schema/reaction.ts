/** GraphQL types and arguments of likes, bookmarks, follows and blocks. */
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { idArgs } from './scalars.js';

export const OtherMemberArgs = idArgs('memberId', 'ID of another member.');
export type OtherMemberArgs = InstanceType<typeof OtherMemberArgs>;

@ObjectType('ArticleLike', { description: 'Whether you like an article.' })
export class ArticleLikeType {
  @Field(() => ID, { description: 'ID of the article.' })
  articleId!: number;

  @Field({ description: 'Whether you like it.' })
  liked!: boolean;

  @Field(() => Int, { description: 'Number of members who like it.' })
  likeCount!: number;
}

@ObjectType('ArticleBookmark', { description: 'Whether an article is in your bookmarks.' })
export class ArticleBookmarkType {
  @Field(() => ID, { description: 'ID of the article.' })
  articleId!: number;

  @Field({ description: 'Whether it is in your bookmarks.' })
  bookmarked!: boolean;
}

@ObjectType('MemberFollow', { description: 'Whether you follow a member.' })
export class MemberFollowType {
  @Field(() => ID, { description: 'ID of the member.' })
  memberId!: number;

  @Field({ description: 'Whether you follow the member.' })
  following!: boolean;
}

@ObjectType('MemberBlock', { description: 'Whether you block a member.' })
export class MemberBlockType {
  @Field(() => ID, { description: 'ID of the member.' })
  memberId!: number;

  @Field({ description: 'Whether you block the member.' })
  blocked!: boolean;
}

@ObjectType('MemberViewer', { description: 'What you have done with a member.' })
export class MemberViewerType {
  @Field({ description: 'Whether you follow the member.' })
  follows!: boolean;

  @Field({ description: 'Whether you block the member.' })
  blocks!: boolean;
}

@ObjectType('ArticleViewer', { description: 'What you have done with an article.' })
export class ArticleViewerType {
  @Field({ description: 'Whether you like it.' })
  liked!: boolean;

  @Field({ description: 'Whether it is in your bookmarks.' })
  bookmarked!: boolean;

  @Field({ description: 'Whether you follow its author.' })
  followsAuthor!: boolean;
}
