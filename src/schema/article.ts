/** GraphQL types of articles, and the inputs of their authors. */
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, type Moment, Upload, type UploadedFile } from './scalars.js';
import { Id, Line, Lines, Prose, WholeNumber } from './validators.js';

@ObjectType('Article', { simpleResolvers: true, description: 'A piece of writing.' })
export class ArticleType {
  @Field(() => ID, { description: 'Positive; given once and never again.' })
  id!: number;

  @Field({ description: '1 to 100 characters.' })
  title!: string;

  @Field(() => ID, { description: 'The author.' })
  memberId!: number;

  @Field(() => ID, { description: "The category, one of the author's own." })
  categoryId!: number;

  @Field(() => Int, { description: 'Comments and replies, without deleted ones.' })
  commentCount!: number;

  @Field(() => String, { nullable: true, description: 'Null until there is one.' })
  aiSummary!: string | null;

  @Field(() => Int, { description: 'Goes up with each edit.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was published.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'When it was last edited.' })
  updatedAt!: Moment;
}

@InputType()
abstract class ArticleInput {
  @Field({ description: '1 to 100 characters, trimmed.' })
  @Line(1, 100)
  title!: string;

  @Field({ description: 'Markdown, 1 to 100,000 characters.' })
  @Prose(1, 100_000)
  content!: string;

  @Field(() => Upload, { nullable: true, description: 'JPEG, PNG, WebP, GIF or AVIF.' })
  image?: UploadedFile | null;
}

@InputType({ description: 'A new article.' })
export class CreateArticleInput extends ArticleInput {
  @Field(() => String, { nullable: true, description: 'The name of one of your categories. Absent: the default one.' })
  @Line(1, 20)
  category?: string | null;

  @Field(() => [String], { nullable: true, description: 'At most 10; case does not matter.' })
  @Lines(10, 1, 30)
  tags?: string[] | null;
}

@InputType({ description: 'What is absent, title and content aside, stays as it is.' })
export class UpdateArticleInput extends ArticleInput {
  @Field(() => String, { nullable: true, description: 'The name of one of your categories. Absent: it stays there.' })
  @Line(1, 20)
  category?: string | null;

  @Field(() => [String], { nullable: true, description: 'In place of those there are. Absent: they stay.' })
  @Lines(10, 1, 30)
  tags?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The version that was edited. If it is not the current one any more, nothing is changed.',
  })
  @WholeNumber(1)
  version?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Takes the image away.' })
  removeImage?: boolean | null;
}

@ArgsType()
export class UpdateArticleArgs {
  @Field(() => ID, { description: 'One of your articles.' })
  @Id()
  id!: string;

  @Field(() => UpdateArticleInput, { description: 'What it is to be from now on.' })
  input!: UpdateArticleInput;
}
