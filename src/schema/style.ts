/** Inputs and types of direct AI requests: style transformation and text generation from a prompt. */
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { CustomStyleType } from './custom-style.js';
import { Id, Prose } from './validators.js';
import { WritingStyle } from './writing-style.js';

@ObjectType('StyledText', {
  simpleResolvers: true,
  description: 'A text in another style, as an AI provider wrote it.',
})
export class StyledTextType {
  @Field({ description: 'Plain text or Markdown that a machine has written: not to be trusted more than a stranger.' })
  transformedContent!: string;

  @Field(() => WritingStyle, { nullable: true, description: 'Null where it is one of your own.' })
  writingStyle!: WritingStyle | null;

  @Field(() => CustomStyleType, { nullable: true, description: 'Null where it is a built-in one.' })
  customStyle!: CustomStyleType | null;

  @Field({ description: 'The built-in style, or the name of your own.' })
  styleName!: string;
}

@InputType({ description: 'A text, and exactly one style that it is to be put into.' })
export class TransformStyleInput {
  @Field({ description: '1 to 100,000 characters.' })
  @Prose(1, 100_000)
  content!: string;

  @Field(() => WritingStyle, { nullable: true, description: 'A built-in style.' })
  writingStyle?: WritingStyle | null;

  @Field(() => ID, { nullable: true, description: 'One of your own styles.' })
  @Id()
  customStyleId?: string | null;
}

@ObjectType('GeneratedText', { simpleResolvers: true, description: 'What an AI provider answered.' })
export class GeneratedTextType {
  @Field({ description: 'Plain text that a machine has written. A long answer is cut off.' })
  text!: string;
}

@ArgsType()
export class GenerateTextArgs {
  @Field({ description: 'Sent to the provider as it is: 1 to 10,000 characters.' })
  @Prose(1, 10_000)
  prompt!: string;
}
