/** Request cases: the pages that are requested. */
import type { BenchData } from './data.js';
import { randomFrom } from './random.js';
import { PAGE_SIZE, type PageWanted } from './requests.js';

export type CaseKey = 'hot' | 'random' | 'deep';

export interface Case {
  key: CaseKey;
  title: string;
  comments: number;
  page: number;
  /** Pages requested in order on one connection in one round; the same for every contender. */
  pages(round: number, connection: number): PageWanted[];
}

const DEEP_PAGE = 1000;
/** Large enough that a connection rarely repeats its first request. */
const RANDOM_PAGES = 1000;

/** Cases: the first page, a deep page, and random articles with uniform probability. */
export function casesOf(data: BenchData, keys: readonly CaseKey[]): Case[] {
  // A tenth of the comments belong to the hot article, and two thirds of those are top-level.
  const pagesOfHot = Math.floor(data.comments / 15 / PAGE_SIZE);
  const among = `among ${data.comments.toLocaleString('en')} comments`;
  const hot = (key: CaseKey, page: number): Case => ({
    key,
    title: `Page ${page.toLocaleString('en')} of the hot article, ${among}`,
    comments: data.comments,
    page,
    pages: () => [{ articleId: data.hotArticleId, page }],
  });
  const all: Record<CaseKey, Case> = {
    hot: hot('hot', 1),
    deep: hot('deep', Math.min(DEEP_PAGE, pagesOfHot)),
    random: {
      key: 'random',
      title: `Page 1 of random articles, ${among}`,
      comments: data.comments,
      page: 1,
      pages: (round, connection) => randomPages(data, round * 1000 + connection),
    },
  };
  return keys.map((key) => all[key]);
}

function randomPages({ firstArticleId, lastArticleId }: BenchData, seed: number): PageWanted[] {
  const random = randomFrom(seed);
  const count = lastArticleId - firstArticleId + 1;
  return Array.from({ length: RANDOM_PAGES }, () => ({
    articleId: firstArticleId + Math.floor(random() * count),
    page: 1,
  }));
}
