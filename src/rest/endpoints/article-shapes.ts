/** The shapes of articles. */
import { METADATA_NAMES } from '../../models/article/metadata.js';
import { byKind, countOf } from '../../models/reaction-kinds.js';
import { plainShape, shape } from '../engine/shape.js';
import { COMMENT } from './comment-shapes.js';
import { IMAGE_SIZE, IMAGE_SIZE_EXAMPLE, IMAGE_URL, PAGINATION, SERIES, SERIES_EXAMPLE, TIMES } from './shapes.js';

/** The numbers of reactions, as an example. */
export const REACTION_COUNTS = byKind((reaction) => [countOf(reaction), 12]);
export const REACTION_FIELDS = Object.keys(REACTION_COUNTS).join(' ');

const ARTICLE_FIELDS = `id title slug ${METADATA_NAMES.join(' ')} excerpt author: authorName authorImg memberId category: categoryName categoryId articleImg
  articleImgAlt articleImgWidth articleImgHeight articleImgSizes { ...ImageSize } tags visibility commentCount ${REACTION_FIELDS} viewCount seriesId wordCount readingMinutes publishedAt createdAt updatedAt`;

const ARTICLE_EXAMPLE = {
  id: 1,
  title: 'A morning at the lighthouse',
  slug: 'a-morning-at-the-lighthouse',
  excerpt: 'The fog lifts at nine, and there it is.',
  author: 'mina',
  authorImg: null,
  memberId: 1,
  category: 'Travel',
  categoryId: 3,
  articleImg: `${IMAGE_URL}.webp`,
  articleImgAlt: 'A lighthouse in the fog.',
  articleImgWidth: 400,
  articleImgHeight: 300,
  articleImgSizes: [IMAGE_SIZE_EXAMPLE],
  tags: ['sea', 'autumn'],
  visibility: 'PUBLIC',
  commentCount: 3,
  ...REACTION_COUNTS,
  viewCount: 140,
  seriesId: 1,
  wordCount: 9,
  readingMinutes: 1,
  publishedAt: TIMES.createdAt,
  ...TIMES,
};

const AI_SUMMARY = 'The fog hides the lighthouse until nine.';

const VIEWER_EXAMPLE = {
  ...byKind(({ participle }) => [participle, true]),
  bookmarked: false,
  followsAuthor: true,
};

export const ARTICLE_VIEWER = plainShape(
  'ArticleViewer',
  'What the authenticated member has done with an article.',
  VIEWER_EXAMPLE,
);

const WITH_VIEWER = 'viewer @include(if: $withViewer) { ...ArticleViewer }';

/** Requires the variables `$isSearch`, `$withContent`, `$withHtml` and `$withViewer`. */
export const ARTICLE = shape({
  fragment: `fragment Article on Article {
    ${ARTICLE_FIELDS} snippet @include(if: $isSearch)
    content @include(if: $withContent) contentHtml: renderedHtml @include(if: $withHtml) ${WITH_VIEWER}
  } ${IMAGE_SIZE} ${ARTICLE_VIEWER}`,
  description: 'An article in a list, with an excerpt of its content. Times are in UTC.',
  example: {
    ...ARTICLE_EXAMPLE,
    content: 'The fog lifts at nine, and there it is.',
    contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n',
    viewer: VIEWER_EXAMPLE,
  },
});

export const OWN_ARTICLE = shape({
  fragment: `fragment OwnArticle on Article {
    ${ARTICLE_FIELDS} removedAt snippet @include(if: $isSearch)
    content @include(if: $withContent) contentHtml: renderedHtml @include(if: $withHtml) ${WITH_VIEWER}
  } ${IMAGE_SIZE} ${ARTICLE_VIEWER}`,
  description: 'An article in the list of its author, with an excerpt of its content. Times are in UTC.',
  example: {
    ...ARTICLE_EXAMPLE,
    removedAt: null,
    content: 'The fog lifts at nine, and there it is.',
    contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n',
    viewer: VIEWER_EXAMPLE,
  },
});

const DETAIL_FIELDS = `${ARTICLE_FIELDS} content aiSummary revision removedAt translations { ...Translation }`;

const TRANSLATION = plainShape('Translation', 'An article as its translations show it.', {
  id: 3,
  slug: '등대의-아침',
  title: '등대의 아침',
  language: 'ko',
});

const DETAIL_EXAMPLE = {
  ...ARTICLE_EXAMPLE,
  content: 'The fog lifts at nine, and there it is.',
  aiSummary: AI_SUMMARY,
  revision: 1,
  removedAt: null,
  translations: [],
};

export const ARTICLE_DETAIL = shape({
  fragment: `fragment ArticleDetail on Article { ${DETAIL_FIELDS} } ${IMAGE_SIZE} ${TRANSLATION}`,
  description: 'An article with its full content. Times are in UTC.',
  example: DETAIL_EXAMPLE,
});

export const BOOKMARKED_ARTICLE = shape({
  fragment: `fragment BookmarkedArticle on Article { ${ARTICLE_FIELDS} bookmarkedAt ${WITH_VIEWER} } ${IMAGE_SIZE} ${ARTICLE_VIEWER}`,
  description: 'An article in the bookmarks of the authenticated member. Times are in UTC.',
  example: { ...ARTICLE_EXAMPLE, bookmarkedAt: '2026-11-20T21:00:00', viewer: VIEWER_EXAMPLE },
});

export const FOLLOWED_ARTICLE = shape({
  fragment: `fragment FollowedArticle on Article { ${ARTICLE_FIELDS} ${WITH_VIEWER} } ${IMAGE_SIZE} ${ARTICLE_VIEWER}`,
  description: 'An article of a member that the authenticated member follows. Times are in UTC.',
  example: { ...ARTICLE_EXAMPLE, viewer: VIEWER_EXAMPLE },
});

export const RELATED_ARTICLE = shape({
  fragment: `fragment RelatedArticle on Article { ${ARTICLE_FIELDS} } ${IMAGE_SIZE}`,
  description: 'A public article that has tags or words in common with another one. Times are in UTC.',
  example: ARTICLE_EXAMPLE,
});

export const SERIES_ARTICLE = shape({
  fragment: `fragment SeriesArticle on Article { ${ARTICLE_FIELDS} } ${IMAGE_SIZE}`,
  description: 'An article of a series. Times are in UTC.',
  example: ARTICLE_EXAMPLE,
});

const LINK_EXAMPLE = { id: 2, slug: 'tea-above-the-harbor', title: 'Tea above the harbor' };

const NEIGHBORS_EXAMPLE = { previous: null, next: LINK_EXAMPLE };

const ARTICLE_LINK = plainShape('ArticleLink', 'What a link to an article needs.', LINK_EXAMPLE);

export const NEIGHBORS = shape({
  fragment: `fragment ArticleNeighbors on ArticleNeighbors {
    previous { ...ArticleLink } next { ...ArticleLink }
  } ${ARTICLE_LINK}`,
  description: 'The public articles of the same author before and after an article, by time of publication.',
  example: NEIGHBORS_EXAMPLE,
});

/** What a client may request in addition to an article, as field and selection: each has a variable of its name. */
const PARTS = {
  contentHtml: ['contentHtml', ''],
  comments: ['comments: commentPage(size: 10)', '{ contents { ...Comment } pagination { ...Pagination } }'],
  neighbors: ['neighbors', '{ ...ArticleNeighbors }'],
  related: ['related(size: 5)', '{ ...RelatedArticle }'],
  series: ['series', '{ ...Series }'],
  viewer: ['viewer', '{ ...ArticleViewer }'],
} as const;

export const PART_NAMES = Object.keys(PARTS);

const SELECTED_PARTS = Object.entries(PARTS).map(
  ([name, [field, selection]]) => `${field} @include(if: $${name}) ${selection}`,
);

/** Requires a variable for each of PART_NAMES. */
export const ARTICLE_WITH_PARTS = shape({
  fragment: `fragment ArticleWithParts on Article { ${DETAIL_FIELDS} ${SELECTED_PARTS.join(' ')} }
    ${TRANSLATION} ${COMMENT} ${PAGINATION} ${NEIGHBORS} ${RELATED_ARTICLE} ${SERIES} ${ARTICLE_VIEWER}`,
  description: 'An article with its full content, and the parts that were requested. Times are in UTC.',
  example: {
    ...DETAIL_EXAMPLE,
    contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n',
    neighbors: NEIGHBORS_EXAMPLE,
    series: SERIES_EXAMPLE,
    viewer: VIEWER_EXAMPLE,
  },
});

export const RENDERED_ARTICLE = shape({
  fragment: `fragment RenderedArticle on Article { articleId: id contentHtml }`,
  description: 'The content of an article as HTML.',
  example: { articleId: 1, contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n' },
});

export const ARTICLE_PREVIEW = plainShape(
  'ArticlePreview',
  'A text as the HTML that an article with this content has.',
  { contentHtml: '<p>The fog lifts at <strong>nine</strong>.</p>\n' },
);

export const TAG = plainShape('Tag', 'A tag, with the number of public articles that have it.', {
  name: 'sea',
  articleCount: 12,
});

export const SUMMARY = shape({
  fragment: `fragment Summary on Article { articleId: id aiSummary status: summaryStatus }`,
  description: 'The summary of an article and its status.',
  example: { articleId: 1, aiSummary: AI_SUMMARY, status: 'COMPLETED' },
});
