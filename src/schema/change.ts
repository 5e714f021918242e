/** GraphQL types and arguments of the feed of changes. */
import { ArgsType, Extensions, Field, ID, Int, ObjectType } from 'type-graphql';
import { METADATA_NAMES } from '../models/article/metadata.js';
import { MAX_SLUG_LENGTH } from '../models/article/slug.js';
import { CHANGE_TYPES, DEFAULT_CHANGES, MAX_CHANGES } from '../models/change.js';
import { MAX_CURSOR_LENGTH } from '../models/change-cursor.js';
import { Paged } from './page.js';
import { MaxItems, MaxLength } from './response-limits.js';
import { DateTime, enumOf, type Moment } from './scalars.js';
import { Line, WholeNumber } from './validators.js';

const FEED_FIELDS_OF_TYPES: Readonly<Record<string, string>> = {
  ChangePage: 'changes cursor hasMore',
  Change: 'type id action changedAt slug articleId parentId revision article comment member category series',
  Article: `id title slug ${METADATA_NAMES.join(' ')} excerpt memberId categoryId articleImg articleImgAlt articleImgWidth articleImgHeight
    articleImgSizes tags visibility seriesId wordCount readingMinutes publishedAt createdAt updatedAt revision content`,
  Comment: 'id content memberId createdAt updatedAt articleId parentId revision',
  Member: 'id nickname bio profileImg profileImgSizes role createdAt',
  Category: 'id memberId name',
  Series: 'id title description memberId articleIds',
  ImageSize: 'url width',
};

/** What the feed tells of its objects: each change of one of these fields has a number. */
export const FEED_FIELDS: ReadonlySet<string> = new Set(
  Object.entries(FEED_FIELDS_OF_TYPES).flatMap(([type, names]) => names.split(/\s+/).map((name) => `${type}.${name}`)),
);

const ChangeTypeEnum = enumOf('ChangeType', 'What a change is about.', {
  article: 'A public article.',
  comment: 'A comment on a public article, or a reply.',
  member: 'A public profile.',
  category: 'A category.',
  series: 'A series.',
});

const ChangeActionEnum = enumOf('ChangeAction', 'What a copy has to do.', {
  created: 'The object is or became public: store it.',
  updated: 'The object changed, or became public again: store it, also if it is new to the copy.',
  removed: 'The object was deleted, or is not public any more: delete it.',
});

@ObjectType('Change', { description: 'An entry of the feed of changes.' })
export class ChangeType {
  @Field(() => ChangeTypeEnum, { description: 'What the object is.' })
  type!: string;

  @Field(() => ID, { description: 'ID of the object.' })
  id!: number;

  @Field(() => ChangeActionEnum, { description: 'What a copy has to do.' })
  action!: string;

  @Field(() => DateTime, { description: 'Time at which the feed received the change, in UTC.' })
  changedAt!: Moment;

  @MaxLength(MAX_SLUG_LENGTH)
  @Field(() => String, {
    nullable: true,
    description: 'Of an article: its slug, and after its removal the last public one. Otherwise null.',
  })
  slug!: string | null;

  @Field(() => ID, { nullable: true, description: 'Of a comment: ID of its article. Otherwise null.' })
  articleId!: number | null;

  @Field(() => ID, { nullable: true, description: 'Of a reply: ID of the comment that it replies to. Otherwise null.' })
  parentId!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Of an article or comment that is not removed: the number of its edits, from 1. Otherwise null.',
  })
  revision!: number | null;
}

@Paged()
@ObjectType('ChangePage', { description: 'A page of the feed of changes.' })
export class ChangePageType {
  @MaxItems(MAX_CHANGES)
  @Field(() => [ChangeType], {
    description:
      'The changes, in their order. There can be fewer than requested, or none, also if there are more pages.',
  })
  changes!: ChangeType[];

  @Extensions({ example: '00000000000000000001.2s.2s' })
  @MaxLength(MAX_CURSOR_LENGTH)
  @Field({ description: 'For `since` of the next request.' })
  cursor!: string;

  @Field({ description: 'Whether to request the next page at once. False: the copy is complete.' })
  hasMore!: boolean;
}

/** Longer than any list of the types. */
const MAX_TYPES_LENGTH = 100;

@ArgsType()
export class ChangesArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the last page, or `latest`: no change, only the cursor for those from now on. Absent: everything that is public, each object once.',
  })
  @Line(1, MAX_CURSOR_LENGTH)
  since?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Only changes of these types, separated by commas: ${CHANGE_TYPES.map((type) => `\`${type}\``).join(', ')}. Absent: all.`,
  })
  @Line(1, MAX_TYPES_LENGTH)
  types?: string | null;

  @Field(() => Int, { defaultValue: DEFAULT_CHANGES, description: `Changes of the page, 1 to ${MAX_CHANGES}.` })
  @WholeNumber(1, MAX_CHANGES)
  size!: number;
}
