/** GraphQL fields of the texts about an article that its author writes as they are, and of their inputs (models/article/metadata.ts). */
import { Extensions, Field, InputType, ObjectType } from 'type-graphql';
import { MAX_DESCRIPTION_LENGTH } from '../models/article/metadata.js';
import { LimitedAs } from './response-limits.js';
import { Language, Line } from './validators.js';

/** Those that revisions store. */
@ObjectType()
export abstract class RevisedMetadataType {
  @LimitedAs(() => MetadataInput, 'description')
  @Extensions({ example: 'What the harbor looks like before the fog lifts.' })
  @Field(() => String, {
    nullable: true,
    description: 'What the text is about, in one line of plain text that its author wrote; null if there is none.',
  })
  description!: string | null;
}

@ObjectType()
export abstract class MetadataType extends RevisedMetadataType {
  @LimitedAs(() => MetadataInput, 'language')
  @Extensions({ example: 'en' })
  @Field(() => String, { nullable: true, description: 'Language of the text, a BCP 47 tag; null if there is none.' })
  language!: string | null;
}

@InputType()
export abstract class MetadataInput {
  @Field(() => String, {
    nullable: true,
    description:
      'What the text is about: one line of plain text, at most {max} characters, trimmed. Empty: none. Absent: unchanged.',
  })
  @Line(0, MAX_DESCRIPTION_LENGTH)
  description?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Language of the text, a BCP 47 tag such as `ko` or `pt-BR`, at most {max} characters. Empty: none. Absent: unchanged.',
  })
  @Language(0)
  language?: string | null;
}
