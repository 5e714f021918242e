/** GraphQL fields of the texts about an article that its author writes as they are, and of their inputs (models/article/metadata.ts). */
import { Extensions, Field, InputType, ObjectType } from 'type-graphql';
import { MAX_CANONICAL_URL_LENGTH, MAX_DESCRIPTION_LENGTH, METADATA } from '../models/article/metadata.js';
import { LimitedAs } from './response-limits.js';
import { DateTime } from './scalars.js';
import { Language, Line, WebAddress } from './validators.js';

/** Those that revisions store. */
@ObjectType()
export abstract class RevisedMetadataType {
  @LimitedAs(() => MetadataInput, 'description')
  @Extensions({ example: METADATA.description.example })
  @Field(() => String, {
    nullable: true,
    description: 'What the text is about, in one line of plain text that its author wrote; null if there is none.',
  })
  description!: string | null;
}

@ObjectType()
export abstract class MetadataType extends RevisedMetadataType {
  @LimitedAs(() => MetadataInput, 'canonicalUrl')
  @Extensions({ example: METADATA.canonicalUrl.example })
  @Field(() => String, {
    nullable: true,
    description: 'The address at which the text was published first, on another website; null if there is none.',
  })
  canonicalUrl!: string | null;

  @LimitedAs(() => MetadataInput, 'language')
  @Extensions({ example: METADATA.language.example })
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
      'The address at which the text was published first: absolute http or https, at most {max} characters, without a user name and a password; it is stored ' +
      'without its fragment. Empty: none. Absent: unchanged.',
  })
  @WebAddress(MAX_CANONICAL_URL_LENGTH)
  canonicalUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Language of the text, a BCP 47 tag such as `ko` or `pt-BR`, at most {max} characters. Empty: none. Absent: unchanged.',
  })
  @Language(0)
  language?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the text was published, in UTC or with an offset: from 1970 until now. Absent in an article: the time of its creation, and unchanged in an edit; in a draft: ' +
      'the time of its publication, or unchanged in an edit of an article.',
  })
  publishedAt?: string | null;
}
