/** GraphQL types and arguments of revisions, the earlier states of a text. */
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { CreateArticleInput, OwnArticleArgs } from './article.js';
import { CONTENT_COST } from './cost.js';
import { PageArgs, pageOf } from './page.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, type Moment } from './scalars.js';
import { IdField, WholeNumber } from './validators.js';

@ObjectType('Revision', { description: 'An earlier state of a text, which an edit replaced.' })
export class RevisionType {
  @Field(() => Int, { description: 'The version of the text that the edit replaced.' })
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

@ArgsType()
export class DraftRevisionsArgs extends PageArgs {
  @IdField('ID of one of your drafts.')
  draftId!: string;
}

@ArgsType()
export class DraftRevisionArgs {
  @IdField('ID of one of your drafts.')
  draftId!: string;

  @Field(() => Int, { description: 'Number of the revision.' })
  @WholeNumber(1)
  number!: number;
}

@ArgsType()
export class ArticleRevisionsArgs extends PageArgs {
  @IdField('ID of one of your articles.')
  articleId!: string;
}

@ArgsType()
export class ArticleRevisionArgs extends OwnArticleArgs {
  @Field(() => Int, { description: 'Number of the revision.' })
  @WholeNumber(1)
  number!: number;
}
