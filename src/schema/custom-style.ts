/** GraphQL types and inputs of custom styles, visible only to their owners. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime, type Moment } from './scalars.js';
import { Id, Line, Prose } from './validators.js';

@ObjectType('CustomStyle', {
  simpleResolvers: true,
  description: 'A way of writing that a member has described, for texts to be put into.',
})
export class CustomStyleType {
  @Field(() => ID, { description: 'To ask for the style with.' })
  id!: number;

  @Field({ description: "Unique among the member's styles without regard to case." })
  name!: string;

  @Field({ description: 'Who would write like this.' })
  role!: string;

  @Field({ description: 'How the text is to sound.' })
  instruction!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Moment;
}

@InputType({ description: 'A way of writing.' })
export class CustomStyleInput {
  @Field({
    description: '1 to 20 characters, unique among your styles without regard to case, and no name of a built-in one.',
  })
  @Line(1, 20)
  name!: string;

  @Field({ description: 'Who would write like this, such as `a sports reporter`: 1 to 100 characters.' })
  @Line(1, 100)
  role!: string;

  @Field({ description: 'How the text is to sound: 1 to 1,000 characters.' })
  @Prose(1, 1000)
  instruction!: string;
}

@ArgsType()
export class UpdateCustomStyleArgs {
  @Field(() => ID, { description: 'One of your styles.' })
  @Id()
  id!: string;

  @Field(() => CustomStyleInput, { description: 'What it is to be from now on.' })
  input!: CustomStyleInput;
}
