/** Tags as clients see them. */
import { Field, Int, ObjectType } from 'type-graphql';
import { Pagination } from './page.js';

@ObjectType('Tag', { simpleResolvers: true, description: 'A word that articles are found by, in lower case.' })
export class TagType {
  @Field()
  name!: string;

  @Field(() => Int, { description: 'Articles that have it.' })
  articleCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'A numbered page of tags.' })
export class TagPage {
  @Field(() => [TagType])
  contents!: TagType[];

  @Field(() => Pagination)
  pagination!: Pagination;
}
