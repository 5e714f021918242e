/** The feed of changes, over REST. */
import { METADATA_EXAMPLE, METADATA_NAMES } from '../../models/article/metadata.js';
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { pageSize, presenceInList, type ValueSource } from '../engine/source.js';
import { IMAGE_SIZE, IMAGE_SIZE_EXAMPLE, IMAGE_URL, TIMES } from './shapes.js';

const ARTICLE_EXAMPLE = {
  id: 1,
  title: 'A morning at the lighthouse',
  slug: 'a-morning-at-the-lighthouse',
  ...METADATA_EXAMPLE,
  excerpt: 'The fog lifts at nine, and there it is.',
  memberId: 1,
  categoryId: 3,
  articleImg: `${IMAGE_URL}.webp`,
  articleImgAlt: 'A lighthouse in the fog.',
  articleImgWidth: 400,
  articleImgHeight: 300,
  articleImgSizes: [IMAGE_SIZE_EXAMPLE],
  tags: ['sea', 'autumn'],
  visibility: 'PUBLIC',
  seriesId: 1,
  wordCount: 9,
  readingMinutes: 1,
  publishedAt: TIMES.createdAt,
  ...TIMES,
  content: 'The fog lifts at nine, and there it is.',
};

const CHANGED_ARTICLE = shape({
  fragment: `fragment ChangedArticle on Article {
    id title slug ${METADATA_NAMES.join(' ')} excerpt memberId categoryId articleImg articleImgAlt articleImgWidth articleImgHeight articleImgSizes { ...ImageSize } tags
    visibility seriesId wordCount readingMinutes publishedAt createdAt updatedAt content
  }`,
  description:
    'A public article without names and numbers, which follow from its IDs and from other requests. Times are in UTC.',
  example: ARTICLE_EXAMPLE,
});

const CHANGED_COMMENT = shape({
  fragment: 'fragment ChangedComment on Comment { id content memberId createdAt updatedAt articleId parentId }',
  description: 'A comment or reply without the name of its author. Times are in UTC.',
  example: { id: 2, content: 'The one at Ulgi, on the east coast.', memberId: 1, ...TIMES, articleId: 1, parentId: 1 },
});

const CHANGED_MEMBER = shape({
  fragment: `fragment ChangedMember on Member {
    id nickname bio profileImg profileImgSizes { ...ImageSize } role createdAt
  }`,
  description: 'A public profile without numbers. Times are in UTC.',
  example: {
    id: 1,
    nickname: 'mina',
    bio: 'I walk along the coast and write about it.',
    profileImg: `${IMAGE_URL}.webp`,
    profileImgSizes: [{ url: `${IMAGE_URL}-64.webp`, width: 64 }],
    role: 'MEMBER',
    createdAt: TIMES.createdAt,
  },
});

const CHANGED_CATEGORY = shape({
  fragment: 'fragment ChangedCategory on Category { id memberId categoryName: name }',
  description: 'A category of a member.',
  example: { id: 3, memberId: 1, categoryName: 'Travel' },
});

const CHANGED_SERIES = shape({
  fragment: 'fragment ChangedSeries on Series { id title description memberId articleIds }',
  description: 'A series with the IDs of its public articles, in their order.',
  example: {
    id: 1,
    title: 'Along the coast',
    description: 'From the lighthouse to the harbor, in five days.',
    memberId: 1,
    articleIds: [1],
  },
});

const CHANGE = shape({
  fragment: `fragment Change on Change {
    type id action changedAt slug articleId parentId revision
    article @include(if: $withData) { ...ChangedArticle } comment @include(if: $withData) { ...ChangedComment }
    member @include(if: $withData) { ...ChangedMember } category @include(if: $withData) { ...ChangedCategory }
    series @include(if: $withData) { ...ChangedSeries }
  } ${CHANGED_ARTICLE} ${CHANGED_COMMENT} ${CHANGED_MEMBER} ${CHANGED_CATEGORY} ${CHANGED_SERIES} ${IMAGE_SIZE}`,
  description:
    'A change of an object of the public journal. Store the object after `created` and `updated`, delete it after `removed`. Times are in UTC.',
  example: {
    type: 'article',
    id: 1,
    action: 'created',
    changedAt: TIMES.updatedAt,
    slug: 'a-morning-at-the-lighthouse',
    articleId: null,
    parentId: null,
    revision: 1,
    article: ARTICLE_EXAMPLE,
    comment: null,
    member: null,
    category: null,
    series: null,
  },
});

const CHANGE_PAGE = shape({
  fragment: `fragment ChangePage on ChangePage { changes { ...Change } cursor hasMore } ${CHANGE}`,
  description: 'A page of the feed of changes.',
  example: { hasMore: false },
});

const MAX_SIZE_WITH_DATA = 50;

const INCLUDED = presenceInList(
  'include',
  { withData: 'data' },
  `Adds the object of each change that is not a removal. \`size\` is at most ${MAX_SIZE_WITH_DATA} then, and by default.`,
);

const size = pageSize('include', ['data'], MAX_SIZE_WITH_DATA);

const listChanges: Endpoint = {
  method: 'GET',
  path: '/changes',
  summary: 'List what changed',
  description:
    'No authentication required. For copies of the public journal: without `since`, everything that is public; then, with the `cursor` of each page, what ' +
    'changed after it. Request the next page at once while `hasMore` is true. After 410 CURSOR_EXPIRED start again without `since`, and replace the copy.',
  example: { since: '00000000000000000001.0.0', types: 'article,comment', include: 'data', size: 50 },
  operation: `query ($since: String, $types: String, $size: Int, $withData: Boolean!) {
    changes(since: $since, types: $types, size: $size) { ...ChangePage }
  } ${CHANGE_PAGE}`,
  variables: {
    // The default of the operation is too many with data.
    size: {
      ...size,
      read: (input, type, maxItems) => withDefault(size.read(input, type, maxItems), input.query.has('include')),
    },
    ...INCLUDED,
  },
  errors: ['CURSOR_EXPIRED'],
};

function withDefault(read: ReturnType<ValueSource['read']>, hasData: boolean): ReturnType<ValueSource['read']> {
  return hasData && 'value' in read && read.value === undefined ? { value: MAX_SIZE_WITH_DATA } : read;
}

export const changeEndpoints = [listChanges];
