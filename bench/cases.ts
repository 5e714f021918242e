/** Request cases of the comment benchmark: the pages that are requested. */
import type { BenchData } from './data.js';
import type { Case, Contender, Name } from './measure.js';
import { randomIds } from './random.js';
import { fetchText, graphqlRequest, JSON_BODY, PAGE_SIZE, type PageRequest } from './requests.js';

export interface PageWanted {
  articleId: number;
  /** From 1. */
  page: number;
  /** Access token: instead of a page, a request that creates a comment. */
  token?: string;
}

const DEEP_PAGE = 1000;

/** The first page, random articles with uniform probability, and a deep page. */
export function readCases(
  data: BenchData,
  contenders: readonly Contender<PageWanted>[],
): Record<'hot' | 'random' | 'deep', Case<PageWanted>> {
  // A tenth of the comments belong to the hot article, and two thirds of those are top-level.
  const deepPage = Math.min(DEEP_PAGE, Math.floor(data.comments / 15 / PAGE_SIZE));
  const shared = { rows: data.comments, contenders };
  const hot = (key: string, page: number): Case<PageWanted> => ({
    ...shared,
    // Strapi sorts all comments of the article for each page, which takes longer than a measurement.
    contenders: contenders.filter(({ name }) => name !== 'strapi'),
    key,
    title: `Page ${page.toLocaleString('en')} of the hot article, ${among(data)}`,
    wanted: () => [{ articleId: data.hotArticleId, page }],
  });
  return {
    hot: hot('hot', 1),
    random: {
      ...shared,
      key: 'random',
      title: `Page 1 of random articles, ${among(data)}`,
      wanted: (connection) =>
        randomIds(data.firstArticleId, data.lastArticleId, connection).map((articleId) => ({ articleId, page: 1 })),
    },
    deep: hot('deep', deepPage),
  };
}

/** Pages of an article other than the hot one, which has 60 top-level comments. */
const PAGES = 6;
/** Size of the responses, relative to the cache. */
const TIMES_CACHE = 4;

/**
 * Random pages of all articles, whose responses together are larger than the cache, others in each turn.
 * @param contenders the floor, and services with this cache
 */
export async function largerCase(
  data: BenchData,
  contenders: readonly Contender<PageWanted>[],
  cacheMb: number,
): Promise<Case<PageWanted>> {
  const articles = data.lastArticleId - data.firstArticleId + 1;
  const pageAt = (n: number) => ({
    articleId: data.firstArticleId + (n % articles),
    page: 1 + Math.floor(n / articles),
  });
  const [floor] = contenders as [Contender<PageWanted>];
  const sampled = randomIds(0, articles * PAGES - 1, 0)
    .slice(0, 200)
    .map(pageAt);
  const texts = await Promise.all(sampled.map((wanted) => fetchText(floor.url, floor.request(wanted))));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length;
  const pages = Math.min(articles * PAGES, Math.ceil((TIMES_CACHE * cacheMb * 2 ** 20) / bytes));
  const mb = Math.round((pages * bytes) / 2 ** 20);
  return {
    key: 'larger',
    title: `${pages.toLocaleString('en')} random pages of ${mb} MiB, cache of ${cacheMb} MiB, ${among(data)}`,
    rows: data.comments,
    contenders,
    wanted: (connection, turn) => randomIds(0, pages - 1, turn * 1000 + connection).map(pageAt),
  };
}

const MIXED: readonly Name[] = ['floor', 'rest', 'restUncached'];

/** One write after 19 reads on each connection. @param token of a member. @param restore deletes the comments */
export function mixedCase(
  data: BenchData,
  contenders: readonly Contender<PageWanted>[],
  token: string,
  restore: () => Promise<void>,
): Case<PageWanted> {
  const read = { articleId: data.hotArticleId, page: 1 };
  return {
    key: 'mixed',
    title: `95 % reads, 5 % writes, hot article, ${among(data)}`,
    rows: data.comments,
    contenders: contenders.filter(({ name }) => MIXED.includes(name)),
    // The connections write at different times.
    wanted: (connection) => Array.from({ length: 20 }, (_, n) => (n === connection % 20 ? { ...read, token } : read)),
    restore,
  };
}

function among({ comments }: BenchData): string {
  return `${comments.toLocaleString('en')} comments`;
}

/** The selection of the REST document, so that both APIs return the same data. */
const QUERY = `query($id: ID!, $page: Int, $size: Int) {
  comments(articleId: $id, page: $page, size: $size) {
    contents {
      id content author: authorName memberId createdAt updatedAt
      replies { id content author: authorName memberId createdAt updatedAt }
    }
    pagination { currentPage pageSize totalElements totalPages last first }
  }
}`;

export function restPage({ articleId, page, token }: PageWanted): PageRequest {
  const path = `/api/articles/${articleId}/comments`;
  if (token === undefined) return { method: 'GET', path: `${path}?page=${page}&size=${PAGE_SIZE}` };
  const body = JSON.stringify({ content: 'Thank you, I will try that tomorrow.' });
  return { method: 'POST', path, headers: { ...JSON_BODY, authorization: `Bearer ${token}` }, body };
}

export function graphqlPage({ articleId, page }: PageWanted): PageRequest {
  return graphqlRequest(QUERY, { id: String(articleId), page, size: PAGE_SIZE });
}
