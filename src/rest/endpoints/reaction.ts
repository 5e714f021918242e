/** Reactions, bookmarks and follows, and the lists that follow from them, over REST. */
import { capitalized, countOf, REACTIONS, type Reaction } from '../../models/reaction-kinds.js';
import type { Endpoint } from '../engine/endpoint.js';
import { nameOfShape, plainShape } from '../engine/shape.js';
import { presenceInList } from '../engine/source.js';
import { ARTICLE_VIEWER, BOOKMARKED_ARTICLE, FOLLOWED_ARTICLE } from './article-shapes.js';
import { PAGINATION, PROFILE } from './shapes.js';

const BOOKMARK = plainShape('ArticleBookmark', 'Whether an article is in the bookmarks of the authenticated member.', {
  articleId: 1,
  bookmarked: true,
});

const FOLLOW = plainShape('MemberFollow', 'Whether the authenticated member follows a member.', {
  memberId: 1,
  following: true,
});

/** A list of articles of the viewer, with what the viewer has done with each. */
function listWithViewer(
  field: string,
  shape: string,
  language?: string,
): Pick<Endpoint, 'example' | 'variables' | 'operation'> {
  const [variable, argument] = language === undefined ? ['', ''] : ['$language: String, ', 'language: $language, '];
  return {
    example: { include: 'viewer', ...(language !== undefined && { language }) },
    variables: presenceInList('include', { withViewer: 'viewer' }, 'Adds what you have done with each article.'),
    operation: `query (${variable}$page: Int, $size: Int, $withViewer: Boolean!) {
      ${field}(${argument}page: $page, size: $size) { contents { ...${nameOfShape(shape)} } pagination { ...Pagination } }
    } ${shape} ${PAGINATION}`,
  };
}

function endpointsOf(reaction: Reaction): Endpoint[] {
  const { name, participle } = reaction;
  const count = countOf(reaction);
  const path = `/articles/{articleId}/${name}`;
  const description = `Authentication required. Idempotent. \`${count}\` is the number of ${name}s after it.`;
  const type = `Article${capitalized(name)}`;
  const response = plainShape(type, `Whether the authenticated member ${name}s an article.`, {
    articleId: 1,
    [participle]: true,
    [count]: 12,
  });
  return [
    {
      method: 'PUT',
      path,
      group: 'Reading',
      summary: `${capitalized(name)} an article`,
      description,
      message: `article${capitalized(participle)}`,
      operation: [`${name}Article`, response],
      errors: ['ARTICLE_NOT_FOUND', 'BLOCKED'],
    },
    {
      method: 'DELETE',
      path,
      group: 'Reading',
      summary: `Remove your ${name}`,
      description,
      message: `articleUn${participle}`,
      operation: [`un${name}Article`, response],
      errors: ['ARTICLE_NOT_FOUND'],
    },
  ];
}

const bookmarkArticle: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}/bookmark',
  group: 'Reading',
  summary: 'Add an article to your bookmarks',
  description: 'Authentication required. Idempotent: an existing bookmark keeps its time.',
  message: 'bookmarkAdded',
  operation: ['bookmarkArticle', BOOKMARK],
  errors: ['ARTICLE_NOT_FOUND', 'BOOKMARK_LIMIT_REACHED'],
};

const removeBookmark: Endpoint = {
  method: 'DELETE',
  path: '/articles/{articleId}/bookmark',
  group: 'Reading',
  summary: 'Remove an article from your bookmarks',
  description: 'Authentication required. Idempotent.',
  message: 'bookmarkRemoved',
  operation: ['removeBookmark', BOOKMARK],
  errors: ['ARTICLE_NOT_FOUND'],
};

const readViewer: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/viewer',
  group: 'Reading',
  summary: 'Read what you have done with an article',
  description:
    'Authentication required. Separate from the article, whose response is the same for everyone and therefore cached.',
  operation: ['articleViewer', ARTICLE_VIEWER],
  errors: ['ARTICLE_NOT_FOUND'],
};

const listBookmarks: Endpoint = {
  method: 'GET',
  path: '/bookmarks',
  summary: 'List your bookmarks, latest first',
  description:
    'Authentication required. Articles of others that became private are not in the list, until they are public again.',
  ...listWithViewer('bookmarks', BOOKMARKED_ARTICLE),
};

const followMember: Endpoint = {
  method: 'PUT',
  path: '/members/{memberId}/follow',
  group: 'Reading',
  summary: 'Follow a member',
  description: 'Authentication required. Idempotent. Members cannot follow themselves.',
  example: { memberId: 2 },
  message: 'memberFollowed',
  operation: ['followMember', FOLLOW],
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
  operation: ['unfollowMember', FOLLOW],
  errors: ['MEMBER_NOT_FOUND'],
};

const listFollowing: Endpoint = {
  method: 'GET',
  path: '/members/me/following',
  group: 'Reading',
  summary: 'List the members that you follow, the last followed first',
  description:
    'Authentication required. Other members cannot read this list; profiles show the number of followers only.',
  operation: ['following', PROFILE],
};

const listFollowedArticles: Endpoint = {
  method: 'GET',
  path: '/articles/following',
  group: 'Reading',
  summary: 'List the articles of the members that you follow, newest first',
  description: 'Authentication required. Public articles, with excerpts instead of the full contents.',
  ...listWithViewer('followedArticles', FOLLOWED_ARTICLE, 'en'),
};

export const reactionEndpoints = [
  ...REACTIONS.flatMap(endpointsOf),
  bookmarkArticle,
  removeBookmark,
  readViewer,
  listBookmarks,
  followMember,
  unfollowMember,
  listFollowing,
  listFollowedArticles,
];
