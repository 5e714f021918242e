/** GraphQL types and arguments of categories. */
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { MAX_CATEGORY_LENGTH } from '../models/category.js';
import { LimitedAs } from './response-limits.js';
import { IdField, Line } from './validators.js';

@ObjectType('Category', { description: 'A category of articles, which belongs to one member.' })
export class CategoryType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @LimitedAs(() => CreateCategoryArgs, 'name')
  @Field({ description: "Unique among the owner's categories, ignoring case." })
  name!: string;

  @Field(() => ID, { description: 'ID of the owner.' })
  memberId!: number;

  @Field({ description: 'Whether this is the default category of new articles. It cannot be renamed or deleted.' })
  isDefault!: boolean;
}

@ArgsType()
export class CreateCategoryArgs {
  @Field({ description: 'Unique among your categories, ignoring case.' })
  @Line(1, MAX_CATEGORY_LENGTH)
  name!: string;
}

@ArgsType()
export class UpdateCategoryArgs {
  @IdField('ID of one of your categories.')
  id!: string;

  @Field({ description: 'Unique among your categories, ignoring case.' })
  @Line(1, MAX_CATEGORY_LENGTH)
  name!: string;
}
