/** GraphQL types of tags. */
import { Field, Int, ObjectType } from 'type-graphql';
import { Pagination } from './page.js';

@ObjectType('Tag', { simpleResolvers: true, description: 'A word that articles are found by, in lower case.' })
export class TagType {
  @Field({ description: 'In its normal form: NFC, lower case.' })
  name!: string;

  @Field(() => Int, { description: 'Articles that have it.' })
  articleCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of tags.' })
export class TagPage {
  @Field(() => [TagType], { description: 'The tags of this page; none past the end.' })
  contents!: TagType[];

  @Field(() => Pagination, { description: 'Where the page stands.' })
  pagination!: Pagination;
}
