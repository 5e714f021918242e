/** Reading articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { nameOfShape } from '../engine/shape.js';
import { pageSize, presence, presenceInList } from '../engine/source.js';
import {
  ARTICLE,
  ARTICLE_WITH_PARTS,
  NEIGHBORS,
  OWN_ARTICLE,
  PART_NAMES,
  RENDERED_ARTICLE,
  TAG,
} from './article-shapes.js';
import { PAGINATION } from './shapes.js';

/** What both reads of one article have. */
const WITH_PARTS = {
  example: { include: PART_NAMES.join(',') },
  variables: presenceInList(
    'include',
    Object.fromEntries(PART_NAMES.map((name) => [name, name])),
    'Adds parts of the page of the article: `comments` is the first page of 10, `related` has at most 5 articles, `series` and `viewer` are null if ' +
      'there is none, or no token.',
  ),
  errors: ['ARTICLE_NOT_FOUND', 'QUERY_TOO_COMPLEX'],
} as const;

/** @param argument with which the root field finds the article */
function operationWithParts(field: string, argument: string, type: string): string {
  const parts = PART_NAMES.map((name) => `$${name}: Boolean!`);
  return `query ($${argument}: ${type}, ${parts.join(', ')}) { ${field}(${argument}: $${argument}) { ...ArticleWithParts } } ${ARTICLE_WITH_PARTS}`;
}

const readArticle: Endpoint = {
  ...WITH_PARTS,
  method: 'GET',
  path: '/articles/{articleId}',
  summary: 'Read an article',
  description: 'No authentication required, except for a private article of yours. Returns the full content.',
  operation: operationWithParts('article', 'id', 'ID!'),
};

const readArticleBySlug: Endpoint = {
  ...WITH_PARTS,
  method: 'GET',
  path: '/articles/by-slug/{slug}',
  summary: 'Read an article by its slug',
  description:
    'No authentication required. Percent-encode the slug as UTF-8; case and Unicode normalization do not matter. Also finds an article by a former ' +
    'slug: redirect readers if `slug` of the response differs.',
  example: { ...WITH_PARTS.example, slug: 'a-morning-at-the-lighthouse' },
  operation: operationWithParts('articleBySlug', 'slug', 'String!'),
};

const readNeighbors: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/neighbors',
  summary: "Read the author's previous and next article",
  description:
    'No authentication required. `previous` is the next older public article of the same author, `next` the next newer one, by time of publication; null ' +
    'if there is none.',
  operation: ['neighbors', NEIGHBORS],
  errors: ['ARTICLE_NOT_FOUND'],
};

const MAX_SIZE_WITH_CONTENT = 50;

const INCLUDED = presenceInList(
  'include',
  { withContent: 'content', withHtml: 'contentHtml', withViewer: 'viewer' },
  `Adds the content of each article, in Markdown, as HTML, or both: \`size\` is at most ${MAX_SIZE_WITH_CONTENT} then, and \`contentHtml\` is ` +
    'null while the HTML is not rendered yet. `viewer` is what you have done with each article; null without a token.',
);

/** What both lists have. */
const LISTED = {
  example: {
    keyword: 'lighthouse',
    tag: 'sea',
    categoryId: 3,
    language: 'en',
    from: '2026-01-01T00:00:00',
    to: '2099-01-01',
    sort: 'likeCount,desc',
    period: 'month',
    include: 'content,contentHtml,viewer',
  },
  variables: {
    size: pageSize('include', ['content', 'contentHtml'], MAX_SIZE_WITH_CONTENT),
    isSearch: presence('keyword'),
    ...INCLUDED,
  },
  errors: ['QUERY_TOO_COMPLEX'],
} as const;

function listOperation(field: string, filter: string, shape: string): string {
  return `query ($filter: ${filter}, $sort: ArticleSort, $period: ArticlePeriod, $page: Int, $size: Int, $isSearch: Boolean!,
    $withContent: Boolean!, $withHtml: Boolean!, $withViewer: Boolean!) {
    ${field}(filter: $filter, sort: $sort, period: $period, page: $page, size: $size) {
      contents { ...${nameOfShape(shape)} } pagination { ...Pagination }
    }
  } ${shape} ${PAGINATION}`;
}

const listArticles: Endpoint = {
  ...LISTED,
  method: 'GET',
  path: '/articles',
  summary: 'List articles',
  description:
    'No authentication required. The filters are combined with AND. The list contains excerpts instead of the full ' +
    'contents; with `keyword`, each article has a `snippet`.',
  example: { ...LISTED.example, memberId: 1 },
  operation: listOperation('articles', 'ArticleFilter', ARTICLE),
};

const listOwnArticles: Endpoint = {
  ...LISTED,
  method: 'GET',
  path: '/articles/me',
  summary: 'List your articles',
  description:
    'Authentication required. Articles by the authenticated member, public and private, also those that a moderator has removed (`removedAt`). The filters are combined with AND. The list contains ' +
    'excerpts instead of the full contents; with `keyword`, each article has a `snippet`.',
  example: { ...LISTED.example, visibility: 'PUBLIC' },
  operation: listOperation('myArticles', 'OwnArticleFilter', OWN_ARTICLE),
};

const readRenderedArticle: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/rendered',
  summary: 'Read the content of an article as HTML',
  description: 'No authentication required. The HTML is sanitized: it has no scripts, styles or forms.',
  operation: `query ($id: ID!) { renderedArticle: article(id: $id) { ...RenderedArticle } } ${RENDERED_ARTICLE}`,
  errors: ['ARTICLE_NOT_FOUND'],
};

const readMarkdown: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/markdown',
  summary: 'Read an article as a Markdown file',
  description:
    'No authentication required, except for a private article of yours. The response is not an envelope: it is YAML front matter with the names that ' +
    'Hugo uses, and the content in Markdown. Errors are in the envelope.',
  mediaType: 'text/markdown',
  operation: 'query ($id: ID!) { articleMarkdown: article(id: $id) { markdown } }',
  errors: ['ARTICLE_NOT_FOUND'],
};

const listTags: Endpoint = {
  method: 'GET',
  path: '/tags',
  summary: 'List the tags, most used first',
  description:
    'No authentication required. Each tag has the number of its public articles. With `memberId`: the tags of the articles of a ' +
    'member, with the number of these.',
  example: { memberId: 1 },
  operation: ['tags', TAG],
};

export const articleEndpoints = [
  listArticles,
  listOwnArticles,
  readArticle,
  readArticleBySlug,
  readRenderedArticle,
  readMarkdown,
  readNeighbors,
  listTags,
];
