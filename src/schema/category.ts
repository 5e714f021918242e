/** GraphQL types and arguments of categories. */
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { Id, Line } from './validators.js';

@ObjectType('Category', { simpleResolvers: true, description: "One of a member's own shelves." })
export class CategoryType {
  @Field(() => ID, { description: 'Positive; given once and never again.' })
  id!: number;

  @Field({ description: "Unique among its owner's categories without regard to case." })
  name!: string;

  @Field(() => ID, { description: 'Its owner.' })
  memberId!: number;

  @Field({ description: 'The one that articles without another go to. It cannot be renamed or deleted.' })
  isDefault!: boolean;
}

@ArgsType()
export class CreateCategoryArgs {
  @Field({ description: 'Unique among your categories without regard to case.' })
  @Line(1, 20)
  name!: string;
}

@ArgsType()
export class UpdateCategoryArgs {
  @Field(() => ID, { description: 'One of your categories.' })
  @Id()
  id!: string;

  @Field({ description: 'Unique among your categories without regard to case.' })
  @Line(1, 20)
  name!: string;
}
