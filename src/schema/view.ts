/** GraphQL types and arguments of the statistics of an article. */
import { ArgsType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import type { Day } from '../models/view.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { OwnArticleArgs } from './article.js';
import { ReactionCounts } from './reaction.js';
import { MaxItems } from './response-limits.js';
import { CalendarDate, DATE_SCHEMA } from './validators.js';

export const MAX_DAYS = fixedLimit({
  area: 'Reading',
  about: 'Days of one request for statistics, including the first and the last one.',
  value: 366,
  error: 'VALIDATION_FAILED',
});

/** Including both. */
export const DEFAULT_DAYS = 30;

@ArgsType()
export class ArticleStatisticsArgs extends OwnArticleArgs {
  @Field(() => String, {
    nullable: true,
    description: `The first day, \`YYYY-MM-DD\` in UTC; at most ${MAX_DAYS} days with the last one. Absent: ${DEFAULT_DAYS} days in total.`,
  })
  @CalendarDate()
  from?: Day | null;

  @Field(() => String, {
    nullable: true,
    description: 'The last day, which is included, `YYYY-MM-DD` in UTC. Absent: today.',
  })
  @CalendarDate()
  to?: Day | null;
}

@ObjectType('DailyViews', { description: 'The views of one day.' })
export class DailyViewsType {
  @Extensions({ jsonSchema: DATE_SCHEMA, example: '2026-11-20' })
  @Field(() => String, { description: 'The day, `YYYY-MM-DD` in UTC.' })
  date!: Day;

  @Field(() => Int, { description: 'Number of readers on that day.' })
  count!: number;
}

@ObjectType('ArticleStatistics', { description: 'Statistics of an article, for its author.' })
export class ArticleStatisticsType {
  @MaxItems(MAX_DAYS)
  @Field(() => [DailyViewsType], {
    description: 'Each day from the first to the last one, in order, also those without views.',
  })
  views!: DailyViewsType[];

  @Field(() => Int, { description: 'Views of all days.' })
  viewCount!: number;

  @Field(() => Int, { description: 'Number of members who have the article in their bookmarks.' })
  @ReactionCounts('the article')
  bookmarkCount!: number;

  @Field(() => Int, { description: 'Number of comments and replies, excluding deleted ones.' })
  commentCount!: number;
}
