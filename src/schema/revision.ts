/** GraphQL types and arguments of revisions, the earlier states of a text. */
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { CreateArticleInput, OwnArticleArgs } from './article.js';
import { RevisedMetadataType } from './article-metadata.js';
import { withCondition } from './condition.js';
import { CONTENT_COST } from './cost.js';
import { pageOf, withPage } from './page.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, idArgs, type Moment } from './scalars.js';
import { WholeNumber } from './validators.js';

@ObjectType('Revision', { description: 'An earlier state of a text, which an edit replaced.' })
export class RevisionType extends RevisedMetadataType {
  @Field(() => Int, { description: 'The revision of the text that the edit replaced.' })
  number!: number;

  @LimitedAs(() => CreateArticleInput, 'title')
  @Field({ description: 'The title.' })
  title!: string;

  @Field(() => Int, { description: 'Length of the content in characters.' })
  characters!: number;

  @Field(() => DateTime, { description: 'The time of the last edit of the text when it had this state, in UTC.' })
  createdAt!: Moment;
}

@ObjectType('RevisionDetail', { description: 'A revision with its content and tags.' })
export class RevisionDetailType extends RevisionType {
  @LimitedAs(() => CreateArticleInput, 'content')
  @Field({ description: 'The content, in Markdown.', complexity: CONTENT_COST })
  content!: string;

  @LimitedAs(() => CreateArticleInput, 'tags')
  @Field(() => [String], { description: 'The tags, in their order.' })
  tags!: string[];
}

export const RevisionPage = pageOf('Revision', () => RevisionType, 'revisions');

const OfDraft = idArgs('draftId', 'ID of one of your drafts.');

export const DraftRevisionsArgs = withPage(OfDraft);
export type DraftRevisionsArgs = InstanceType<typeof DraftRevisionsArgs>;

export const ArticleRevisionsArgs = withPage(OwnArticleArgs);
export type ArticleRevisionsArgs = InstanceType<typeof ArticleRevisionsArgs>;

/** One revision of a text. */
function withNumber<Args extends object>(args: ClassType<Args>) {
  @ArgsType()
  class RevisionArgs extends (args as ClassType) {
    @Field(() => Int, { description: 'Number of the revision.' })
    @WholeNumber(1)
    number!: number;
  }
  return RevisionArgs as ClassType<Args & RevisionArgs>;
}

export const DraftRevisionArgs = withNumber(OfDraft);
export type DraftRevisionArgs = InstanceType<typeof DraftRevisionArgs>;

export const ArticleRevisionArgs = withNumber(OwnArticleArgs);
export type ArticleRevisionArgs = InstanceType<typeof ArticleRevisionArgs>;

export const RestoreRevisionArgs = withCondition(ArticleRevisionArgs);
export type RestoreRevisionArgs = InstanceType<typeof RestoreRevisionArgs>;
