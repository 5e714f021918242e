/** Articles as clients see them, and what their authors send. */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, type Moment } from './scalars.js';
import { Line, Lines, Prose } from './validators.js';

@ObjectType('Category', { simpleResolvers: true, description: "One of a member's own shelves." })
export class CategoryType {
  @Field(() => ID)
  id!: number;

  @Field()
  name!: string;

  @Field(() => ID)
  memberId!: number;
}

@ObjectType('Article', { simpleResolvers: true, description: 'A piece of writing.' })
export class ArticleType {
  @Field(() => ID)
  id!: number;

  @Field()
  title!: string;

  @Field({ description: 'Markdown.' })
  content!: string;

  @Field(() => ID)
  memberId!: number;

  @Field(() => ID)
  categoryId!: number;

  @Field(() => Int, { description: 'Comments and replies, without deleted ones.' })
  commentCount!: number;

  @Field(() => String, { nullable: true, description: 'Null until there is one.' })
  aiSummary!: string | null;

  @Field(() => Int, { description: 'Goes up with each edit.' })
  version!: number;

  @Field(() => DateTime)
  createdAt!: Moment;

  @Field(() => DateTime)
  updatedAt!: Moment;
}

@InputType()
export class CreateArticleInput {
  @Field()
  @Line(1, 100)
  title!: string;

  @Field({ description: 'Markdown, 1 to 100,000 characters.' })
  @Prose(1, 100_000)
  content!: string;

  @Field(() => String, { nullable: true, description: 'The name of one of your categories. Absent: the default one.' })
  @Line(1, 20)
  category?: string | null;

  @Field(() => [String], { nullable: true, description: 'At most 10; case does not matter.' })
  @Lines(10, 1, 30)
  tags?: string[] | null;
}
