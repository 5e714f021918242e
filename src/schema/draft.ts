/** GraphQL types of drafts, and the inputs of their authors. */
import { ArgsType, Extensions, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import {
  MAX_CONTENT_LENGTH,
  MAX_IMAGE_ALT_LENGTH,
  MAX_TITLE_LENGTH,
  type Visibility,
} from '../models/article/article.js';
import { MAX_CATEGORY_LENGTH } from '../models/category.js';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../models/tag.js';
import { VisibilityEnum } from './article.js';
import { MetadataInput, MetadataType } from './article-metadata.js';
import { withCondition } from './condition.js';
import { PageArgs, pageOf } from './page.js';
import { LimitedAs, MaxLength } from './response-limits.js';
import { DateTime, idArgs, type Moment } from './scalars.js';
import { IdField, Line, Lines, Prose, Slug, TranslationOfField, WholeNumber } from './validators.js';

@ObjectType('Draft', {
  description: 'A text that only its author sees, until it is published: of a new article, or of an edit.',
})
export class DraftType extends MetadataType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @Field(() => ID, { nullable: true, description: 'The article that it is an edit of; null for a new article.' })
  articleId!: number | null;

  @LimitedAs(() => DraftInput, 'title')
  @Field({ description: 'May be empty.' })
  title!: string;

  @LimitedAs(() => DraftInput, 'category')
  @Field(() => String, { nullable: true, description: 'Name of one of your categories; null if there is none.' })
  category!: string | null;

  @LimitedAs(() => DraftInput, 'tags')
  @Field(() => [String], { description: 'Tags, in the order given.' })
  tags!: string[];

  @LimitedAs(() => DraftInput, 'slug')
  @Field(() => String, {
    nullable: true,
    description: 'Slug for the article; null: generated from the title, or that of the article.',
  })
  slug!: string | null;

  @Field(() => VisibilityEnum, { description: 'Who will be able to read the article.' })
  visibility!: Visibility;

  @Field(() => ID, {
    nullable: true,
    description: 'The uploaded image that will be that of the article; null if there is none.',
  })
  imageId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The article whose translation the article will be; 0: it leaves its translations; null: they stay as they are.',
  })
  translationOf!: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time of publication that the article will have, in UTC; null: the time at which the draft is published, or that of its article.',
  })
  publishedAt!: Moment | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the scheduled publication, in UTC; null if there is none.',
  })
  publishAt!: Moment | null;

  @MaxLength(50)
  @Field(() => String, {
    nullable: true,
    description: 'Error key of the last scheduled publication, if it failed; otherwise null.',
  })
  publicationError!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Revision of the article that the edit began with; null for a new article.',
  })
  baseRevision!: number | null;

  @Field(() => Int, { description: 'Increased by each change. For `ifRevision` and the header If-Match.' })
  revision!: number;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, { description: 'Time of the last change, in UTC.' })
  updatedAt!: Moment;
}

export const DraftPage = pageOf('Draft', () => DraftType, 'drafts');

/** What an article cannot have is refused when the draft is published. */
const STORED = { isStored: true };

@InputType({ description: 'Input for a new draft. Absent fields are empty.' })
export class DraftInput extends MetadataInput {
  @Field(() => String, { nullable: true, description: 'At most {max} characters, trimmed.' })
  @Line(0, MAX_TITLE_LENGTH, STORED)
  title?: string | null;

  @Field(() => String, { nullable: true, description: 'Markdown, at most {max} characters.' })
  @Prose(0, MAX_CONTENT_LENGTH, STORED)
  content?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of one of your categories; empty: none.' })
  @Line(0, MAX_CATEGORY_LENGTH, STORED)
  category?: string | null;

  @Field(() => [String], { nullable: true, description: 'At most {max} tags, case-insensitive; replaces all tags.' })
  @Lines(MAX_TAGS, 1, MAX_TAG_LENGTH, STORED)
  tags?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Slug for the article; empty: generated from the title, or that of the article.',
  })
  @Slug(0)
  slug?: string | null;

  @Field(() => VisibilityEnum, { nullable: true, description: 'Who will be able to read the article.' })
  visibility?: Visibility | null;

  @TranslationOfField()
  translationOf?: string | null;

  @IdField('One of your uploaded images, for the image of the article.', { nullable: true })
  imageId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Alternative text of the image, at most {max} characters; empty: none. Absent: as before; another image has none, and an edit of an ' +
      'article has that of the article while its image stays.',
  })
  @Line(0, MAX_IMAGE_ALT_LENGTH)
  articleImgAlt?: string | null;
}

@InputType({ description: 'Changes of a draft. Absent fields keep their values.' })
export class UpdateDraftInput extends DraftInput {
  @Field(() => Boolean, { nullable: true, description: 'Removes the image, also that of the article.' })
  removeImage?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Revision of the article that the text now takes into account. No effect on the draft of a new article.',
  })
  @WholeNumber(1)
  baseRevision?: number | null;
}

@ArgsType()
export class DraftsArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only drafts with a scheduled publication (true), or without one (false).',
  })
  scheduled?: boolean | null;
}

@ArgsType()
export class UpdateDraftArgs extends withCondition(idArgs('id', 'ID of one of your drafts.')) {
  @Field(() => UpdateDraftInput, { description: 'The new values.' })
  input!: UpdateDraftInput;
}

/** For a mutation whose resolver counts with `countDraftWrite` (services/limits/writes.ts): the general write limits do not count it. */
export function CountsAsDraft(): MethodDecorator & PropertyDecorator {
  return Extensions({ countsAsDraft: true });
}
