/** GraphQL types and inputs of custom styles, visible only to their owners. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { LimitedAs } from './response-limits.js';
import { DateTime, type Moment } from './scalars.js';
import { IdField, Line, Prose } from './validators.js';

@ObjectType('CustomStyle', { description: 'A writing style defined by a member, for style transformation.' })
export class CustomStyleType {
  @Field(() => ID, { description: 'ID of the style.' })
  id!: number;

  @LimitedAs(() => CustomStyleInput, 'name')
  @Field({ description: "Unique among the member's styles, ignoring case." })
  name!: string;

  @LimitedAs(() => CustomStyleInput, 'role')
  @Field({ description: 'Role of the writer.' })
  role!: string;

  @LimitedAs(() => CustomStyleInput, 'instruction')
  @Field({ description: 'Description of the style.' })
  instruction!: string;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'Time of the last change, in UTC.' })
  updatedAt!: Moment;
}

/** The resolver compares a change with the style, which can be older than the rule. */
const STORED = { isStored: true };

@InputType({ description: 'Definition of a writing style.' })
export class CustomStyleInput {
  @Field({ description: '{range} characters; unique among your styles and the built-in ones, ignoring case.' })
  @Line(1, 20, STORED)
  name!: string;

  @Field({ description: 'Role of the writer, such as `a sports reporter`: {range} characters.' })
  @Line(1, 100, STORED)
  role!: string;

  @Field({ description: 'Description of the style: {range} characters.' })
  @Prose(1, 1000, STORED)
  instruction!: string;
}

@ArgsType()
export class UpdateCustomStyleArgs {
  @IdField('ID of one of your styles.')
  id!: string;

  @Field(() => CustomStyleInput, { description: 'The new definition.' })
  input!: CustomStyleInput;
}
