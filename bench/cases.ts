/** Request cases of the comment benchmark: the pages that are requested. */
import type { BenchData } from './data.js';
import type { Case, Contender, Name } from './measure.js';
import { randomFrom } from './random.js';
import { PAGE_SIZE, type PageWanted } from './requests.js';

const DEEP_PAGE = 1000;
/** Large enough that a connection rarely repeats its first request. */
const RANDOM_PAGES = 1000;

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
      wanted: (connection) => randomPages(data, connection),
    },
    deep: hot('deep', deepPage),
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

function randomPages({ firstArticleId, lastArticleId }: BenchData, seed: number): PageWanted[] {
  const random = randomFrom(seed);
  const count = lastArticleId - firstArticleId + 1;
  return Array.from({ length: RANDOM_PAGES }, () => ({
    articleId: firstArticleId + Math.floor(random() * count),
    page: 1,
  }));
}
