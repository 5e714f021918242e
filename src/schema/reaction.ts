/** GraphQL types and arguments of reactions, bookmarks, follows and blocks. */
import { type ClassType, Field, ID, Int, ObjectType } from 'type-graphql';
import { capitalized, countOf, REACTIONS, type Reaction } from '../models/reaction-kinds.js';
import { idArgs } from './scalars.js';

export const OtherMemberArgs = idArgs('memberId', 'ID of another member.');
export type OtherMemberArgs = InstanceType<typeof OtherMemberArgs>;

/** The payload of the changes of a reaction. */
export function reactionType(reaction: Reaction): ClassType<{ articleId: number }> {
  @ObjectType(`Article${capitalized(reaction.name)}`, { description: `Whether you ${reaction.name} an article.` })
  class ReactionType {
    @Field(() => ID, { description: 'ID of the article.' })
    articleId!: number;
  }
  addState(ReactionType.prototype, reaction);
  addCount(ReactionType.prototype, reaction, 'it');
  return ReactionType;
}

function addState(type: object, { name, participle }: Reaction): void {
  Field(() => Boolean, { description: `Whether you ${name} it.` })(type, participle);
}

function addCount(type: object, reaction: Reaction, object: string): void {
  Field(() => Int, { description: `Number of members who ${reaction.name} ${object}.` })(type, countOf(reaction));
}

/** Under `@Field`: adds the numbers of members who have reacted, before this field. @param object the article, in descriptions */
export function ReactionCounts(object: string): PropertyDecorator {
  return (type) => {
    for (const reaction of REACTIONS) addCount(type, reaction, object);
  };
}

/** Under `@Field`: adds whether the viewer has reacted, before this field. */
const ReactionStates: PropertyDecorator = (type) => {
  for (const reaction of REACTIONS) addState(type, reaction);
};

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

  @Field({ description: 'Whether you block the member; false with an API token.' })
  blocks!: boolean;
}

@ObjectType('ArticleViewer', { description: 'What you have done with an article.' })
export class ArticleViewerType {
  @Field({ description: 'Whether it is in your bookmarks.' })
  @ReactionStates
  bookmarked!: boolean;

  @Field({ description: 'Whether you follow its author.' })
  followsAuthor!: boolean;
}
