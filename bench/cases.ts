/** Request cases for comments: the first page, a deep page, and random articles. */
import type { BenchData } from './data.js';
import { randomIds } from './random.js';
import { type Api, type Case, graphqlRequest, PAGE_SIZE, type PageRequest } from './requests.js';

export type CaseKey = 'hot' | 'random' | 'deep';

export interface CommentCase extends Case {
  key: CaseKey;
  comments: number;
  page: number;
}

export interface Page {
  articleId: number;
  /** From 1. */
  page: number;
}

const DEEP_PAGE = 1000;

export function casesOf(data: BenchData, keys: readonly CaseKey[]): CommentCase[] {
  const { comments, hotArticleId, firstArticleId, lastArticleId } = data;
  // A tenth of the comments belong to the hot article, and two thirds of those are top-level.
  const pagesOfHot = Math.floor(comments / 15 / PAGE_SIZE);
  const among = `among ${comments.toLocaleString('en')} comments`;
  const hot = (key: CaseKey, page: number): CommentCase => ({
    key,
    title: `Page ${page.toLocaleString('en')} of the hot article, ${among}`,
    comments,
    page,
    requests: (api) => [commentsRequest(api, { articleId: hotArticleId, page })],
  });
  const all: Record<CaseKey, CommentCase> = {
    hot: hot('hot', 1),
    deep: hot('deep', Math.min(DEEP_PAGE, pagesOfHot)),
    random: {
      key: 'random',
      title: `Page 1 of random articles, ${among}`,
      comments,
      page: 1,
      requests: (api, round, connection) =>
        randomIds(firstArticleId, lastArticleId, round * 1000 + connection).map((articleId) =>
          commentsRequest(api, { articleId, page: 1 }),
        ),
    },
  };
  return keys.map((key) => all[key]);
}

/** The selection of the REST document, so that both APIs return the same data. */
const QUERY = `query($id: ID!, $page: Int, $size: Int) {
  comments(articleId: $id, page: $page, size: $size) {
    contents {
      id content authorName memberId createdAt updatedAt
      replies { id content authorName memberId createdAt updatedAt }
    }
    pagination { currentPage pageSize totalElements totalPages last first }
  }
}`;

export function commentsRequest(api: Api, { articleId, page }: Page): PageRequest {
  if (api === 'graphql') return graphqlRequest(QUERY, { id: String(articleId), page, size: PAGE_SIZE });
  return { method: 'GET', path: `/api/articles/${articleId}/comments?page=${page}&size=${PAGE_SIZE}` };
}
