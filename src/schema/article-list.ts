/** Lists of articles: filters, orders and page types. */
import { ArgsType, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { fixedLimit } from '../config/limit.js';
import { ARTICLE_ORDERS, type ArticleOrder, NEWEST_FIRST } from '../models/article-order.js';
import { ArticleType } from './article.js';
import { ConnectionArgs, connectionOf } from './connection.js';
import { PageArgs, Pagination } from './page.js';
import { Ruled } from './rules.js';
import { Id, Line, Words } from './validators.js';

const orders = Object.keys(ARTICLE_ORDERS) as ArticleOrder[];

export const ArticleSort = Object.fromEntries(orders.map((order) => [enumName(order), order]));
registerEnumType(ArticleSort, {
  name: 'ArticleSort',
  description: 'Among equals the id decides, in the same direction.',
  valuesConfig: Object.fromEntries(
    orders.map((order) => [enumName(order), { description: ARTICLE_ORDERS[order].meaning }]),
  ),
});

/** The GraphQL name of an order: `CREATED_AT_DESC` for `createdAt,desc` in REST. */
function enumName(order: ArticleOrder): string {
  return order
    .replace(',', '_')
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase();
}

@InputType({ description: 'Which of your articles; all conditions must hold.' })
export class OwnArticleConnectionFilter {
  @Field(() => String, { nullable: true, description: 'Case does not matter.' })
  @Line(1, 30)
  tag?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only what is filed there.' })
  @Id()
  categoryId?: string | null;
}

@InputType({ description: 'Which articles; all conditions must hold.' })
export class ArticleConnectionFilter extends OwnArticleConnectionFilter {
  @Field(() => ID, { nullable: true, description: 'The author.' })
  @Id()
  memberId?: string | null;
}

const MAX_WORDS = fixedLimit({
  area: 'Database',
  about: 'Words in a keyword.',
  value: 8,
  unit: 'count',
  error: 'VALIDATION_FAILED',
});

const KEYWORD = `Up to ${MAX_WORDS} words that must all occur in the title, the tags or the content; case does not matter.`;

@InputType({ description: 'Which of your articles; all conditions must hold.' })
export class OwnArticleFilter extends OwnArticleConnectionFilter {
  @Field(() => String, { nullable: true, description: KEYWORD })
  @Words(MAX_WORDS, 1, 100)
  keyword?: string | null;
}

@InputType({ description: 'Which articles; all conditions must hold.' })
export class ArticleFilter extends ArticleConnectionFilter {
  @Field(() => String, { nullable: true, description: KEYWORD })
  @Words(MAX_WORDS, 1, 100)
  keyword?: string | null;
}

/** Arguments of a numbered page with an order. */
@ArgsType()
abstract class SortedPageArgs extends PageArgs {
  @Field(() => ArticleSort, {
    nullable: true,
    description: 'Absent: with a keyword the best match first, otherwise the newest first.',
  })
  sort?: ArticleOrder | null;
}

@ArgsType()
@Ruled()
export class ArticlesArgs extends SortedPageArgs {
  @Field(() => ArticleFilter, { nullable: true, description: 'Absent: all of them.' })
  filter?: ArticleFilter | null;
}

@ArgsType()
@Ruled()
export class OwnArticlesArgs extends SortedPageArgs {
  @Field(() => OwnArticleFilter, { nullable: true, description: 'Absent: all of them.' })
  filter?: OwnArticleFilter | null;
}

@ArgsType()
export class MemberArticlesArgs extends ConnectionArgs {
  @Field(() => ArticleSort, { defaultValue: NEWEST_FIRST, description: 'The order, which a cursor belongs to.' })
  sort!: ArticleOrder;
}

@ArgsType()
export class ArticleConnectionArgs extends MemberArticlesArgs {
  @Field(() => ArticleConnectionFilter, { nullable: true, description: 'Absent: all of them.' })
  filter?: ArticleConnectionFilter | null;
}

@ArgsType()
export class OwnArticleConnectionArgs extends MemberArticlesArgs {
  @Field(() => OwnArticleConnectionFilter, { nullable: true, description: 'Absent: all of them.' })
  filter?: OwnArticleConnectionFilter | null;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of articles.' })
export class ArticlePage {
  @Field(() => [ArticleType], { description: 'The articles of this page; none past the end.' })
  contents!: ArticleType[];

  @Field(() => Pagination, { description: 'Where the page stands.' })
  pagination!: Pagination;
}

export const ArticleConnection = connectionOf('Article', () => ArticleType);
