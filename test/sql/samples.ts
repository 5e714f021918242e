/** Calls of the functions that compose statements: by source file, one for each form of the statement that differs in more than a condition. */
import { findArticlePage, findArticles, findArticlesOfMembers } from '../../src/models/article/list.js';
import type { ArticleOrder } from '../../src/models/article/order.js';
import { findRelated } from '../../src/models/article/related.js';
import { findArticlesByKeyword } from '../../src/models/article/search.js';
import { type CommentList, findComments } from '../../src/models/comment/list.js';
import { findCommentPage } from '../../src/models/comment/page.js';
import { compareStatement, createStatement, saveStatement } from '../../src/models/draft/save.js';
import { findNotifications } from '../../src/models/notification/list.js';
import { ANONYMOUS, Reader } from '../../src/models/reader.js';
import { findSeries, findSeriesOfMembers } from '../../src/models/series.js';
import type { Database } from '../../src/platform/database/pool.js';

export type Sample = (database: Database) => unknown;

const PAGE = { limit: 10, offset: 20 };
const NEXT = { limit: 10, after: { key: '1795000000123', id: 7 } };
const ALL = { content: true, tags: true, snippet: true, total: true };
const FEW = { content: false, tags: true };
const BY_TIME: ArticleOrder = 'createdAt,desc';
const BY_LIKES: ArticleOrder = 'likeCount,desc';
const MEMBER = new Reader(7, 7, 7, 0);
const MODERATOR = new Reader(7, 7, 7, 7);
const FILTER = { tag: 'sea', from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

/** More articles match the filter of a list than are sorted. */
const withTooMany = (database: Database): Database => ({
  ...database,
  query: async (statement, values) =>
    statement.text.includes('with matching') ? [{ total: null } as never] : database.query(statement, values),
});

const COMMENT_LISTS: CommentList[] = [
  'ofArticle',
  'ofArticleOldestFirst',
  'repliesTo',
  'writtenBy',
  'shownBy',
  'receivedBy',
  'heldFor',
  'receivedOnPublic',
  'hiddenOn',
];

const commentPage =
  (reader: Reader, isOldestFirst: boolean): Sample =>
  (database) =>
    findCommentPage(database, {
      articleId: 1,
      size: 10,
      offset: 20,
      reader,
      isOldestFirst,
      includes: { replies: true, authorNames: true, details: true },
    });

const DRAFT = {
  title: 'Owls',
  content: 'Attic',
  category: 'Travel',
  tags: ['sea'],
  slug: 'owls',
  isPrivate: false,
  imageId: 1,
  articleImgAlt: 'An owl',
} as const;
const AUTHOR = {
  memberId: 7,
  credentialId: '0b9cf7e6-36b1-4be6-b5bd-7d2f4d1c6d51',
  seesPrivate: true,
  mayPublish: true,
};

export const SAMPLES: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
  'models/article/list': {
    'page of public articles': (database) =>
      findArticlePage(database, { scope: {}, order: BY_TIME, slice: PAGE, includes: FEW }),
    'page of a language': (database) =>
      findArticlePage(database, { scope: { language: 'ko' }, order: BY_TIME, slice: PAGE, includes: FEW }),
    'connection of a language of a member': (database) =>
      findArticles(database, { scope: { language: 'ko', memberId: 7 }, order: BY_TIME, slice: NEXT, includes: FEW }),
    'page by time and likes': (database) =>
      findArticlePage(database, { scope: { from: FILTER.from }, order: BY_LIKES, slice: PAGE, includes: FEW }),
    'page of own articles': (database) =>
      findArticlePage(database, { scope: { ownerId: 7 }, order: BY_TIME, slice: PAGE, includes: FEW }),
    'page by tag and time': (database) =>
      findArticlePage(database, { scope: FILTER, order: BY_TIME, slice: PAGE, includes: ALL }),
    'page by tag and likes': (database) =>
      findArticlePage(database, { scope: FILTER, order: BY_LIKES, slice: PAGE, includes: FEW }),
    'page by tag and likes of a large journal': (database) =>
      findArticlePage(withTooMany(database), { scope: FILTER, order: BY_LIKES, slice: PAGE, includes: FEW }),
    'page of a category by likes in a period': (database) =>
      findArticlePage(database, {
        scope: { categoryId: 3, period: 'week' },
        order: BY_LIKES,
        slice: PAGE,
        includes: FEW,
      }),
    'connection of public articles': (database) =>
      findArticles(database, { scope: {}, order: BY_TIME, slice: NEXT, includes: ALL }),
    'connection of own private articles by likes': (database) =>
      findArticles(database, {
        scope: { ownerId: 7, isPrivate: true },
        order: BY_LIKES,
        slice: { limit: 10, isBackward: true },
        includes: FEW,
      }),
    'articles of several members': (database) =>
      findArticlesOfMembers(database, [7, 8], { order: BY_TIME, slice: NEXT, includes: ALL }),
  },
  'models/article/related': {
    'related articles': (database) => findRelated(database, { articleId: 1, reader: MEMBER, size: 5 }, FEW),
  },
  'models/article/search': {
    'best match first': (database) =>
      findArticlesByKeyword(database, { keyword: 'sea fog', scope: {}, order: null, slice: PAGE, includes: ALL }),
    'words with several spellings': (database) =>
      findArticlesByKeyword(database, { keyword: "sea l'oiseau", scope: {}, order: null, slice: PAGE, includes: ALL }),
    'own articles by time': (database) =>
      findArticlesByKeyword(database, {
        keyword: 'sea',
        scope: { ownerId: 7, ...FILTER },
        order: BY_TIME,
        slice: PAGE,
        includes: FEW,
      }),
  },
  'models/comment/list': Object.fromEntries([
    ...COMMENT_LISTS.flatMap((list) => [
      [`${list}, page`, (database: Database) => findComments(database, list, [1], PAGE, MEMBER)],
      [`${list}, connection of several`, (database: Database) => findComments(database, list, [1, 2], NEXT, MEMBER)],
    ]),
    ...(['ofArticle', 'repliesTo', 'hiddenOn'] as const).map((list) => [
      `${list}, page for a moderator`,
      (database: Database) => findComments(database, list, [1], PAGE, MODERATOR),
    ]),
  ]),
  'models/comment/page': {
    'for anonymous readers': commentPage(ANONYMOUS, false),
    'for members': commentPage(MEMBER, false),
    'for members, oldest first': commentPage(MEMBER, true),
    'for moderators': commentPage(MODERATOR, false),
  },
  'models/draft/save': {
    'new draft': (database) => database.query(...createStatement(AUTHOR, DRAFT)),
    'changed draft': (database) => database.query(...saveStatement(1, AUTHOR, null, DRAFT)),
    'comparison of a draft': (database) => database.query(...compareStatement(1, AUTHOR, null, DRAFT)),
  },
  'models/notification/list': {
    'all of a member': (database) =>
      findNotifications(database, { memberId: 7, reader: MEMBER, unreadOnly: false }, PAGE),
    'unread ones without private articles and drafts': (database) =>
      findNotifications(
        database,
        { memberId: 7, reader: ANONYMOUS, unreadOnly: true },
        { limit: 10, after: { key: '7', id: 7 } },
      ),
  },
  'models/series': {
    'series of a member': (database) => findSeriesOfMembers(database, [7], MEMBER, PAGE),
    'a series with its articles': (database) => findSeries(database, { id: 1, by: ANONYMOUS }, PAGE, FEW),
  },
};
