/** GraphQL types of the archive by month and of related articles. */
import { ArgsType, type ClassType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import { ArticleIdArgs } from './article.js';
import { DEFAULT_PAGE_SIZE } from './page.js';
import { IdField, WholeNumber } from './validators.js';

export const MAX_RELATED = 20;

@ObjectType('ArchiveMonth', { description: 'A month in which public articles were published.' })
export class ArchiveMonthType {
  @Extensions({ example: 2026 })
  @Field(() => Int, { description: 'The year, in UTC.' })
  year!: number;

  @Extensions({ example: 11 })
  @Field(() => Int, { description: 'The month, 1 to 12, in UTC.' })
  month!: number;

  @Field(() => Int, { description: 'Number of public articles that were published in the month.' })
  articleCount!: number;
}

@ArgsType()
export class ArchiveArgs {
  @IdField('Only the articles of this member.', { nullable: true })
  memberId?: string | null;
}

function withSize<Args extends object>(args: ClassType<Args>) {
  @ArgsType()
  class SizedArgs extends (args as ClassType) {
    @Field(() => Int, {
      defaultValue: DEFAULT_PAGE_SIZE,
      description: `Maximum number of articles, 1 to ${MAX_RELATED}.`,
    })
    @WholeNumber(1, MAX_RELATED)
    size!: number;
  }
  return SizedArgs as ClassType<Args & SizedArgs>;
}

@ArgsType()
export class RelatedArgs extends withSize(class {}) {}

@ArgsType()
export class RelatedArticlesArgs extends withSize(ArticleIdArgs) {}
