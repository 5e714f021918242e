/** Request cases for articles. */
import { ARTICLE, ARTICLE_DETAIL } from '../src/rest/endpoints/article-shapes.js';
import { PAGINATION } from '../src/rest/endpoints/shapes.js';
import type { Case, Contender } from './measure.js';
import { randomIds } from './random.js';
import { graphqlRequest, PAGE_SIZE, type PageRequest } from './requests.js';
import { casesOf as searchCasesOf } from './search-cases.js';

export type Wanted = { articleId: number } | { page: number; keyword?: string; popular?: 'ever' | 'week' };

const DEEP_PAGE = 1000;

/** @param url of the database, whose texts determine the common and the rare keywords */
export async function casesOf(
  url: string,
  rows: number,
  contenders: readonly Contender<Wanted>[],
): Promise<Case<Wanted>[]> {
  const searches = await searchCasesOf(url);
  const keywordOf = (title: string) => searches.find((one) => one.title === title)?.request.keyword ?? '';
  const [common, rare] = [keywordOf('3, common Korean'), keywordOf('3, rare Korean')];
  const deep = Math.min(DEEP_PAGE, Math.ceil(rows / PAGE_SIZE));
  const always = (wanted: Wanted) => () => [wanted];
  const cases: Pick<Case<Wanted>, 'key' | 'title' | 'wanted'>[] = [
    { key: 'first', title: 'List, page 1', wanted: always({ page: 1 }) },
    { key: 'deepList', title: `List, page ${deep.toLocaleString('en')}`, wanted: always({ page: deep }) },
    { key: 'likes', title: 'List by likes, page 1', wanted: always({ page: 1, popular: 'ever' }) },
    { key: 'week', title: 'List by likes of a week, page 1', wanted: always({ page: 1, popular: 'week' }) },
    {
      key: 'detail',
      title: 'Random articles',
      wanted: (connection) => randomIds(1, rows, connection).map((articleId) => ({ articleId })),
    },
    { key: 'common', title: `Search, common: ${common}`, wanted: always({ page: 1, keyword: common }) },
    { key: 'rare', title: `Search, rare: ${rare}`, wanted: always({ page: 1, keyword: rare }) },
  ];
  return cases.map((one) => ({ ...one, rows, contenders }));
}

export function restArticles(wanted: Wanted): PageRequest {
  if ('articleId' in wanted) return { method: 'GET', path: `/api/articles/${wanted.articleId}` };
  const keyword = wanted.keyword === undefined ? '' : `&keyword=${encodeURIComponent(wanted.keyword)}`;
  return {
    method: 'GET',
    path: `/api/articles?page=${wanted.page}&size=${PAGE_SIZE}${keyword}${POPULAR[wanted.popular ?? 'not']}`,
  };
}

const POPULAR = { not: '', ever: '&sort=likeCount,desc', week: '&sort=likeCount,desc&period=week' };

/** The floor has no snippets. */
export function withoutSnippets(rest: string): string {
  return rest.replace(/,"snippet":"(?:[^"\\]|\\.)*"/g, '');
}

/** The selection of the REST document, so that both APIs return the same data. */
const DETAIL_QUERY = `query ($id: ID!) { article(id: $id) { ...ArticleDetail } } ${ARTICLE_DETAIL}`;
const LIST_QUERY = `query ($filter: ArticleFilter, $sort: ArticleSort, $period: ArticlePeriod, $page: Int, $size: Int, $isSearch: Boolean!,
  $withContent: Boolean = false, $withHtml: Boolean = false, $withViewer: Boolean = false) {
  articles(filter: $filter, sort: $sort, period: $period, page: $page, size: $size) { contents { ...Article } pagination { ...Pagination } }
} ${ARTICLE} ${PAGINATION}`;

export function graphqlArticles(wanted: Wanted): PageRequest {
  if ('articleId' in wanted) return graphqlRequest(DETAIL_QUERY, { id: String(wanted.articleId) });
  const isSearch = wanted.keyword !== undefined;
  const filter = isSearch ? { filter: { keyword: wanted.keyword } } : {};
  const popular = {
    ...(wanted.popular && { sort: 'LIKE_COUNT_DESC' }),
    ...(wanted.popular === 'week' && { period: 'WEEK' }),
  };
  return graphqlRequest(LIST_QUERY, { page: wanted.page, size: PAGE_SIZE, isSearch, ...filter, ...popular });
}
