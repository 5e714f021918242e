/** GraphQL types of tags. */
import { Field, Int, ObjectType } from 'type-graphql';
import { Pagination } from './page.js';

@ObjectType('Tag', { simpleResolvers: true, description: 'A tag of articles.' })
export class TagType {
  @Field({ description: 'Normalized name: Unicode NFC, lower case.' })
  name!: string;

  @Field(() => Int, { description: 'Number of articles with this tag.' })
  articleCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of tags.' })
export class TagPage {
  @Field(() => [TagType], { description: 'The tags of this page; empty past the last page.' })
  contents!: TagType[];

  @Field(() => Pagination, { description: 'Position of the page, and totals of the list.' })
  pagination!: Pagination;
}
