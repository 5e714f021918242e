/** The viewer's lists as a reader: bookmarks, followed members and their articles. */
import { findBookmarks } from '../models/bookmark.js';
import { findFollowedArticles, findFollowing, isReachable, MAX_FOLLOWED_ARTICLES } from '../models/follow.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ArticleList, FollowedArticlesArgs } from '../schema/article-list.js';
import { MemberList } from '../schema/member.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { runSearch } from './article-list.js';
import { ownList } from './list.js';
import { articleIncludes } from './selection.js';

const FOLLOWED = 'Public articles of the members that you follow, newest first';

export const READING_LISTS = [
  ownList(['read'], {
    names: ['bookmarks', 'bookmarkConnection'],
    types: ArticleList,
    description: 'Your bookmarks, latest first',
    open: (context, _args, { info, path }) => {
      const owner = { memberId: viewerOf(context).memberId, reader: readerOf(context) };
      const includes = articleIncludes(info, path);
      return {
        order: 'bookmarks',
        type: 'timestamptz',
        find: (slice) => findBookmarks(context.database, owner, slice, includes),
      };
    },
  }),
  ownList(['read'], {
    names: ['following', 'followingConnection'],
    types: MemberList,
    description: 'The members that you follow, the last followed first',
    open: (context) => ({
      order: 'following',
      type: 'timestamptz',
      find: (slice) => findFollowing(context.database, viewerOf(context).memberId, slice),
    }),
  }),
  ownList(['read'], {
    names: ['followedArticles', 'followedArticleConnection'],
    types: ArticleList,
    args: FollowedArticlesArgs,
    description: [
      `${FOLLOWED}, in numbered pages of the first ${MAX_FOLLOWED_ARTICLES}.`,
      `${FOLLOWED}, with cursor pagination.`,
    ],
    open: (context, { language }, { info, path }) => ({
      order: 'followedArticles',
      type: 'timestamptz',
      find: async (slice) => {
        const includes = articleIncludes(info, path);
        const { memberId } = viewerOf(context);
        const find = () => findFollowedArticles(context.database, memberId, slice, includes, language);
        // The articles of one language are counted one by one.
        const found = await (language == null ? find() : runSearch(context, find));
        if (!isReachable(slice) && found.total > (slice.offset ?? 0))
          throw invalid('page', createMessage('pageTooFar', MAX_FOLLOWED_ARTICLES));
        return found;
      },
    }),
  }),
];
