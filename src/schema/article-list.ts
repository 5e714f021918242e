/** Lists of articles and tags: filters, orders and page types. */
import { ArgsType, type ClassType, Field, InputType, Int, ObjectType } from 'type-graphql';
import type { Visibility } from '../models/article/article.js';
import {
  ARTICLE_ORDER_MEANINGS,
  ARTICLE_PERIOD_MEANINGS,
  type ArticleOrder,
  type ArticlePeriod,
  DEFAULT_ARTICLE_ORDER,
} from '../models/article/order.js';
import { MAX_TAG_LENGTH } from '../models/tag.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { ArticleType, VisibilityEnum } from './article.js';
import { withConnection } from './connection.js';
import { Constrained } from './constraints.js';
import { listArgs, listOf } from './list.js';
import { PageArgs, pageOf, withPage } from './page.js';
import { LimitedAs } from './response-limits.js';
import { DateTime, orderEnumOf } from './scalars.js';
import { IdField, Language, Line, Words } from './validators.js';

export const ArticleSort = orderEnumOf(
  'ArticleSort',
  'Sort order of articles. Ties are broken by id, in the same direction.',
  ARTICLE_ORDER_MEANINGS,
);

const ArticlePeriodEnum = orderEnumOf(
  'ArticlePeriod',
  'The days (UTC) whose likes or views a list counts, as of the last full hour.',
  ARTICLE_PERIOD_MEANINGS,
);

const MAX_WORDS = fixedLimit({
  area: 'Database',
  about: 'Words of a search keyword.',
  value: 8,
  error: 'VALIDATION_FAILED',
});

function LanguageFilterField(): PropertyDecorator {
  return (target, name) => {
    const description =
      'Only articles in this language, a BCP 47 tag: one subtag such as `en` finds all of that language, a longer tag such as `en-GB` only itself.';
    Field(() => String, { nullable: true, description })(target, name);
    Language(1)(target, name);
  };
}

@InputType()
abstract class AnyArticleFilter {
  @Field(() => String, {
    nullable: true,
    description:
      `Up to ${MAX_WORDS} words that must all occur in the title, the tags or the content; case-insensitive. ` +
      'Empty: no condition.',
  })
  @Words(MAX_WORDS, 0, 100)
  keyword?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of a tag, case-insensitive.' })
  @Line(1, MAX_TAG_LENGTH, { isStored: true })
  tag?: string | null;

  @LanguageFilterField()
  language?: string | null;

  @IdField('Only articles in this category.', { nullable: true })
  categoryId?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Only articles published at this time or later, in UTC.' })
  from?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Only articles published before this time, in UTC.' })
  to?: string | null;
}

@InputType({ description: 'Filter for your articles; all conditions must match.' })
@Constrained()
export class OwnArticleFilter extends AnyArticleFilter {
  @Field(() => VisibilityEnum, { nullable: true, description: 'Only articles with this visibility. Absent: all.' })
  visibility?: Visibility | null;
}

@InputType({ description: 'Filter for articles; all conditions must match.' })
export class ArticleFilter extends AnyArticleFilter {
  @IdField('Only articles by this member.', { nullable: true })
  memberId?: string | null;
}

@ArgsType()
class PageOrder {
  @Field(() => ArticleSort, {
    nullable: true,
    description: 'Absent: by relevance if there is a keyword, otherwise newest first.',
  })
  sort?: ArticleOrder | null;
}

@ArgsType()
class CursorOrder {
  @Field(() => ArticleSort, {
    defaultValue: DEFAULT_ARTICLE_ORDER,
    description:
      'Sort order. The order by relevance to a keyword is only for numbered pages. A cursor is valid only for the order that ' +
      'it was created with.',
  })
  sort!: ArticleOrder;
}

export const MemberArticlesArgs = withConnection(CursorOrder);
export type MemberArticlesArgs = InstanceType<typeof MemberArticlesArgs>;

function withFilter<Args extends object, Filter extends object>(args: ClassType<Args>, filterType: ClassType<Filter>) {
  @ArgsType()
  class FilteredArgs extends (args as ClassType) {
    @Field(() => ArticlePeriodEnum, {
      nullable: true,
      description:
        'Only with a sort order by likes or views: only articles that have some in this period, by their number in it. Absent: all articles, by all ' +
        'their likes or views.',
    })
    period?: ArticlePeriod | null;

    @Field(() => filterType, { nullable: true, description: 'Absent: no filter.' })
    filter?: Filter | null;
  }
  return FilteredArgs as ClassType<Args & FilteredArgs>;
}

/** The arguments of a list of articles with a filter. */
function filteredBy<Filter extends object>(filter: ClassType<Filter>) {
  return {
    page: withPage(withFilter(PageOrder, filter)),
    connection: withConnection(withFilter(CursorOrder, filter)),
  };
}

export const ArticlesArgs = filteredBy(ArticleFilter);

export const OwnArticlesArgs = filteredBy(OwnArticleFilter);

@ArgsType()
class OfLanguage {
  @LanguageFilterField()
  language?: string | null;
}

export const FollowedArticlesArgs = listArgs(OfLanguage);

export const ArticleList = listOf('Article', () => ArticleType, 'articles');

@ObjectType('Tag', { description: 'A tag of articles.' })
export class TagType {
  @LimitedAs(() => OwnArticleFilter, 'tag')
  @Field({ description: 'Normalized name: Unicode NFC, lower case.' })
  name!: string;

  @Field(() => Int, {
    description: 'Number of public articles with this tag; of one member, if the list is limited to them.',
  })
  articleCount!: number;
}

@ArgsType()
export class TagsArgs extends PageArgs {
  @IdField('Only the tags of this member, with the number of their articles.', { nullable: true })
  memberId?: string | null;
}

export const TagPage = pageOf('Tag', () => TagType, 'tags');
