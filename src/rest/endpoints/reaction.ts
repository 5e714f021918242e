/** Likes, bookmarks and follows, and the lists that follow from them, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { pageNumber, path, query } from '../engine/source.js';
import { BOOKMARKED_ARTICLE, FOLLOWED_ARTICLE } from './article-shapes.js';
import { PAGINATION, PROFILE } from './shapes.js';

const LIKE = shape({
  fragment: 'fragment ArticleLike on ArticleLike { articleId liked likeCount }',
  description: 'Whether the authenticated member likes an article.',
  example: { articleId: 1, liked: true, likeCount: 12 },
});

const BOOKMARK = shape({
  fragment: 'fragment ArticleBookmark on ArticleBookmark { articleId bookmarked }',
  description: 'Whether an article is in the bookmarks of the authenticated member.',
  example: { articleId: 1, bookmarked: true },
});

const FOLLOW = shape({
  fragment: 'fragment MemberFollow on MemberFollow { memberId following }',
  description: 'Whether the authenticated member follows a member.',
  example: { memberId: 1, following: true },
});

const VIEWER = shape({
  fragment: 'fragment ArticleViewer on ArticleViewer { liked bookmarked followsAuthor }',
  description: 'What the authenticated member has done with an article.',
  example: { liked: true, bookmarked: false, followsAuthor: true },
});

const likeArticle: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}/like',
  group: 'Reading',
  summary: 'Like an article',
  description: 'Authentication required. Idempotent. `likeCount` is the number of likes after it.',
  example: { articleId: 1 },
  message: 'articleLiked',
  operation: `mutation ($articleId: ID!) { likeArticle(articleId: $articleId) { ...ArticleLike } } ${LIKE}`,
  variables: { articleId: path('articleId') },
  errors: ['ARTICLE_NOT_FOUND', 'BLOCKED'],
};

const unlikeArticle: Endpoint = {
  method: 'DELETE',
  path: '/articles/{articleId}/like',
  group: 'Reading',
  summary: 'Remove your like',
  description: 'Authentication required. Idempotent. `likeCount` is the number of likes after it.',
  example: { articleId: 1 },
  message: 'articleUnliked',
  operation: `mutation ($articleId: ID!) { unlikeArticle(articleId: $articleId) { ...ArticleLike } } ${LIKE}`,
  variables: { articleId: path('articleId') },
  errors: ['ARTICLE_NOT_FOUND'],
};

const bookmarkArticle: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}/bookmark',
  group: 'Reading',
  summary: 'Add an article to your bookmarks',
  description: 'Authentication required. Idempotent: an existing bookmark keeps its time.',
  example: { articleId: 1 },
  message: 'bookmarkAdded',
  operation: `mutation ($articleId: ID!) { bookmarkArticle(articleId: $articleId) { ...ArticleBookmark } } ${BOOKMARK}`,
  variables: { articleId: path('articleId') },
  errors: ['ARTICLE_NOT_FOUND', 'BOOKMARK_LIMIT_REACHED'],
};

const removeBookmark: Endpoint = {
  method: 'DELETE',
  path: '/articles/{articleId}/bookmark',
  group: 'Reading',
  summary: 'Remove an article from your bookmarks',
  description: 'Authentication required. Idempotent.',
  example: { articleId: 1 },
  message: 'bookmarkRemoved',
  operation: `mutation ($articleId: ID!) { removeBookmark(articleId: $articleId) { ...ArticleBookmark } } ${BOOKMARK}`,
  variables: { articleId: path('articleId') },
  errors: ['ARTICLE_NOT_FOUND'],
};

const readViewer: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/viewer',
  group: 'Reading',
  summary: 'Read what you have done with an article',
  description:
    'Authentication required. Separate from the article, whose response is the same for everyone and therefore cached.',
  example: { articleId: 1 },
  operation: `query ($articleId: ID!) { articleViewer(articleId: $articleId) { ...ArticleViewer } } ${VIEWER}`,
  variables: { articleId: path('articleId') },
  errors: ['ARTICLE_NOT_FOUND'],
};

const listBookmarks: Endpoint = {
  method: 'GET',
  path: '/bookmarks',
  group: 'Reading',
  summary: 'List your bookmarks, latest first',
  description:
    'Authentication required. Articles of others that became private are not in the list, until they are public again.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    bookmarks(page: $page, size: $size) { contents { ...BookmarkedArticle } pagination { ...Pagination } }
  } ${BOOKMARKED_ARTICLE} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
};

const followMember: Endpoint = {
  method: 'PUT',
  path: '/members/{memberId}/follow',
  group: 'Reading',
  summary: 'Follow a member',
  description: 'Authentication required. Idempotent. Members cannot follow themselves.',
  example: { memberId: 2 },
  message: 'memberFollowed',
  operation: `mutation ($memberId: ID!) { followMember(memberId: $memberId) { ...MemberFollow } } ${FOLLOW}`,
  variables: { memberId: path('memberId') },
  errors: ['BLOCKED', 'FOLLOW_LIMIT_REACHED', 'MEMBER_NOT_FOUND'],
};

const unfollowMember: Endpoint = {
  method: 'DELETE',
  path: '/members/{memberId}/follow',
  group: 'Reading',
  summary: 'Unfollow a member',
  description: 'Authentication required. Idempotent.',
  example: { memberId: 2 },
  message: 'memberUnfollowed',
  operation: `mutation ($memberId: ID!) { unfollowMember(memberId: $memberId) { ...MemberFollow } } ${FOLLOW}`,
  variables: { memberId: path('memberId') },
  errors: ['MEMBER_NOT_FOUND'],
};

const listFollowing: Endpoint = {
  method: 'GET',
  path: '/members/me/following',
  group: 'Reading',
  summary: 'List the members that you follow, the last followed first',
  description: 'Authentication required. Nobody else sees this list; profiles show the number of followers only.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    following(page: $page, size: $size) { contents { ...Profile } pagination { ...Pagination } }
  } ${PROFILE} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
};

const listFollowedArticles: Endpoint = {
  method: 'GET',
  path: '/articles/following',
  group: 'Reading',
  summary: 'List the articles of the members that you follow, newest first',
  description: 'Authentication required. Public articles, with excerpts instead of the full contents.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    followedArticles(page: $page, size: $size) { contents { ...FollowedArticle } pagination { ...Pagination } }
  } ${FOLLOWED_ARTICLE} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
};

export const reactionEndpoints = [
  likeArticle,
  unlikeArticle,
  bookmarkArticle,
  removeBookmark,
  readViewer,
  listBookmarks,
  followMember,
  unfollowMember,
  listFollowing,
  listFollowedArticles,
];
