/** GraphQL types and inputs of series. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { MAX_SERIES_ARTICLES, MAX_SERIES_DESCRIPTION_LENGTH, MAX_SERIES_TITLE_LENGTH } from '../models/series.js';
import { ArticleType } from './article.js';
import { listArgs, listOf } from './list.js';
import { MAX_PAGE_SIZE, Paged, Pagination } from './page.js';
import { LimitedAs, MaxItems } from './response-limits.js';
import { DateTime, idArgs, type Moment } from './scalars.js';
import { DistinctIds, IdField, Line, Prose } from './validators.js';

@ObjectType('Series', { description: 'Articles of one author, in an order that the author sets.' })
export class SeriesType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @LimitedAs(() => SeriesInput, 'title')
  @Field({ description: 'The title, which is public.' })
  title!: string;

  @LimitedAs(() => SeriesInput, 'description')
  @Field({ description: 'The description, which is public; may be empty.' })
  description!: string;

  @Field(() => ID, { description: 'ID of the author.' })
  memberId!: number;

  @Field(() => DateTime, {
    description: 'Time of the last edit of the title, the description or the list of public articles, in UTC.',
  })
  updatedAt!: Moment;
}

@Paged()
@ObjectType('SeriesWithArticles', { description: 'A series with a numbered page of its public articles.' })
export class SeriesWithArticlesType extends SeriesType {
  @MaxItems(MAX_PAGE_SIZE)
  @Field(() => [ArticleType], {
    description: 'The public articles of this page, in the order of the series; empty past the last page.',
  })
  contents!: ArticleType[];

  @Field(() => Pagination, { description: 'Position of the page, and totals of the public articles.' })
  pagination!: Pagination;
}

export const SeriesList = listOf('Series', () => SeriesType, 'series');

@InputType({
  description: 'A series. In a change, omitted fields keep their values, except the title, which is required.',
})
export class SeriesInput {
  @Field({ description: '{range} characters, trimmed. Public, also if all articles are private.' })
  @Line(1, MAX_SERIES_TITLE_LENGTH, { isStored: true })
  title!: string;

  @Field(() => String, { nullable: true, description: 'At most {max} characters. Public, like the title.' })
  @Prose(0, MAX_SERIES_DESCRIPTION_LENGTH)
  description?: string | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      'IDs of your articles, public or private, in their order: at most {max}, each once. Replaces the list. An article of another of your series ' +
      'moves to this one.',
  })
  @DistinctIds(MAX_SERIES_ARTICLES)
  articleIds?: string[] | null;
}

@ArgsType()
export class UpdateSeriesArgs {
  @IdField('ID of one of your series.')
  id!: string;

  @Field(() => SeriesInput, { description: 'The new values.' })
  input!: SeriesInput;
}

export const SeriesArgs = listArgs(idArgs('id', 'ID of a series.'));

export const MemberSeriesArgs = listArgs(idArgs('memberId', 'ID of a member.'));
