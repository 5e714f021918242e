/** Tools that find and read articles, their comments and statistics, and what changed. */
import { METADATA_NAMES } from '../../models/article/metadata.js';
import { PAGE, PAGINATION, type Tool } from '../tool.js';

const LISTED = 'articleId: id title slug author memberId category tags visibility wordCount createdAt updatedAt';

const FILTERS = {
  tag: { description: 'Only with this tag.' },
  from: { description: 'Only published at this time (UTC) or later, such as 2026-11-20 or 2026-11-20T09:30:00.' },
  to: { description: 'Only published before this time (UTC).' },
};

const searchArticles: Tool = {
  name: 'search_articles',
  title: 'Search articles',
  description:
    'Find articles that contain certain words, best match first. Use it when the user asks what was written about a subject, or before you quote. Each result has ' +
    'a snippet; call read_article for the whole text. All words must occur: with no result, try fewer or other words.',
  effect: 'read',
  args: {
    keyword: { description: 'Up to 8 words.', isRequired: true },
    ...FILTERS,
    memberId: { description: 'Only by this author.' },
    ...PAGE,
  },
  calls: [{ endpoint: 'GET /articles', output: `articles: contents { ${LISTED} snippet } ${PAGINATION}` }],
};

const listArticles: Tool = {
  name: 'list_articles',
  title: 'List articles',
  description:
    'List articles, newest first: the latest of the journal, those of an author, a tag or a time, or with `mine` those of the user, private ones too. ' +
    'For words in texts use search_articles.',
  effect: 'read',
  args: {
    mine: {
      description: 'True: the articles of the user. Needs a token with `read` or `articles`.',
      schema: { type: 'boolean' },
    },
    ...FILTERS,
    memberId: { description: 'Only by this author. Not with `mine`.' },
    visibility: { description: 'Only with `mine`.' },
    sort: { description: 'By default newest first.' },
    period: {
      description:
        'With `likeCount,desc` or `viewCount,desc`: only articles with some in the last day, week or month, by these. By default: of all time.',
    },
    ...PAGE,
  },
  calls: [
    {
      endpoint: 'GET /articles/me',
      when: 'mine',
      output: `articles: contents { ${LISTED} excerpt likeCount viewCount commentCount } ${PAGINATION}`,
    },
    {
      endpoint: 'GET /articles',
      output: `articles: contents { ${LISTED} excerpt likeCount viewCount commentCount } ${PAGINATION}`,
    },
  ],
};

const ARTICLE = `articleId: id title slug ${METADATA_NAMES.join(' ')} author memberId category tags visibility revision commentCount likeCount createdAt updatedAt content`;

const readArticle: Tool = {
  name: 'read_article',
  title: 'Read an article',
  description:
    'Read the whole text of one article in Markdown, by `articleId` or by `slug` (the last part of its address). Use it before you quote, summarize or answer questions ' +
    'about an article. To change an article of the user, start its draft with save_draft.',
  effect: 'read',
  args: {
    articleId: { description: 'The id from a list.' },
    slug: { description: 'In place of `articleId`.' },
  },
  calls: [
    { endpoint: 'GET /articles/by-slug/{slug}', when: 'slug', output: ARTICLE },
    { endpoint: 'GET /articles/{articleId}', output: ARTICLE },
  ],
};

const COMMENT = 'commentId: id content author memberId createdAt';

const readComments: Tool = {
  name: 'read_comments',
  title: 'Read comments on an article',
  description:
    'Read the discussion below one article: comments, newest first, each with its replies. For everything that others wrote on all articles of the user, use list_received_comments.',
  effect: 'read',
  args: { articleId: { description: 'The id from a list.' }, ...PAGE },
  calls: [
    {
      endpoint: 'GET /articles/{articleId}/comments',
      output: `comments: contents { ${COMMENT} replies { ${COMMENT} } } ${PAGINATION}`,
    },
  ],
};

const articleStatistics: Tool = {
  name: 'article_statistics',
  title: 'Statistics of an article',
  description:
    'Read how one article of the user is doing: readers by day, and total views, likes, bookmarks and comments. Other authors’ articles are refused.',
  effect: 'read',
  args: {
    articleId: { description: 'An article of the user.' },
    from: { description: 'First day (UTC), such as 2026-11-20.' },
    to: { description: 'Last day (UTC).' },
  },
  calls: [
    {
      endpoint: 'GET /articles/{articleId}/statistics',
      output: 'viewCount likeCount bookmarkCount commentCount views { date count }',
    },
  ],
};

const listChanges: Tool = {
  name: 'list_changes',
  title: 'List what changed',
  description:
    'List what was created, updated or removed in the public journal since an earlier call, oldest first. Keep `cursor` and give it as `since` next time; while `hasMore` is true, call again. ' +
    'To begin now, use `since` = "latest". Without `since`, it lists everything that is public, and for the articles of a day list_articles with `from` is shorter.',
  effect: 'read',
  args: {
    since: { description: 'The `cursor` of an earlier call, or "latest".' },
    types: { description: 'Some of article,comment,member,category,series with commas; all by default.' },
    size: { description: 'Changes of a page.' },
  },
  calls: [
    {
      endpoint: 'GET /changes',
      output: 'changes { type id action changedAt slug articleId revision } cursor hasMore',
    },
  ],
};

export const READ_TOOLS = { searchArticles, listArticles, readArticle, readComments, articleStatistics, listChanges };
