/** Request cases for articles. */
import { ARTICLE, ARTICLE_DETAIL, ARTICLE_WITH_PARTS, PART_NAMES } from '../src/rest/endpoints/article-shapes.js';
import { PAGINATION } from '../src/rest/endpoints/shapes.js';
import { ARTICLES_WITH_PAGES } from './articles-data.js';
import type { Case, Contender, Name } from './measure.js';
import { randomIds } from './random.js';
import { graphqlRequest, PAGE_SIZE, type PageRequest } from './requests.js';
import { casesOf as searchCasesOf } from './search-cases.js';

export type Wanted = ({ articleId: number } | { page: number; keyword?: string; popular?: 'ever' | 'week' }) & {
  /** The page of an article with all of its parts, or a list of 20; both with what the viewer has done. */
  isWhole?: boolean;
  /** Access token of the viewer. */
  token?: string;
};

const DEEP_PAGE = 1000;

/** Responses for a viewer are not cached, and the ceiling does not distinguish viewers. */
const WITH_VIEWER: readonly Name[] = ['floor', 'restUncached', 'graphqlUncached'];
const LIST_SIZE = 20;

/**
 * @param url of the database, whose texts determine the common and the rare keywords
 * @param token of a viewer; absent: without the pages that show what the viewer has done
 */
export async function casesOf(
  url: string,
  rows: number,
  contenders: readonly Contender<Wanted>[],
  token?: string,
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
  const parts = cases.map((one) => ({ ...one, rows, contenders }));
  return token === undefined
    ? parts
    : [...parts, ...wholeCases(contenders, rows), ...wholeCases(contenders, rows, token)];
}

/** The page of an article, and a list, each in one request: without a token, or for a viewer. */
function wholeCases(all: readonly Contender<Wanted>[], rows: number, token?: string): Case<Wanted>[] {
  const contenders = token === undefined ? all : all.filter(({ name }) => WITH_VIEWER.includes(name));
  const [key, title] = token === undefined ? ['', ''] : ['Viewer', ', with a viewer'];
  const whole = { isWhole: true, ...(token !== undefined && { token }) };
  return [
    {
      key: `page${key}`,
      title: `Pages of random articles${title}`,
      rows,
      contenders,
      wanted: (connection) =>
        randomIds(1, Math.min(ARTICLES_WITH_PAGES, rows), connection).map((articleId) => ({ articleId, ...whole })),
    },
    {
      key: `list${key}`,
      title: `List of ${LIST_SIZE}${title}`,
      rows,
      contenders,
      wanted: () => [{ page: 1, ...whole }],
    },
  ];
}

export function restArticles({ token, isWhole, ...wanted }: Wanted): PageRequest {
  const shared = { method: 'GET', ...(token !== undefined && { headers: bearer(token) }) } as const;
  if ('articleId' in wanted) {
    const include = isWhole ? `?include=${PART_NAMES.join(',')}` : '';
    return { ...shared, path: `/api/articles/${wanted.articleId}${include}` };
  }
  if (isWhole) return { ...shared, path: `/api/articles?page=${wanted.page}&size=${LIST_SIZE}&include=viewer` };
  const keyword = wanted.keyword === undefined ? '' : `&keyword=${encodeURIComponent(wanted.keyword)}`;
  return {
    ...shared,
    path: `/api/articles?page=${wanted.page}&size=${PAGE_SIZE}${keyword}${POPULAR[wanted.popular ?? 'not']}`,
  };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

const POPULAR = { not: '', ever: '&sort=likeCount,desc', week: '&sort=likeCount,desc&period=week' };

/** The floor has no snippets. */
export function withoutSnippets(rest: string): string {
  return rest.replace(/,"snippet":"(?:[^"\\]|\\.)*"/g, '');
}

/** The selection of the REST document, so that both APIs return the same data. */
const DETAIL_QUERY = `query ($id: ID!) { article(id: $id) { ...ArticleDetail } } ${ARTICLE_DETAIL}`;
const PAGE_QUERY = `query ($id: ID!, ${PART_NAMES.map((name) => `$${name}: Boolean = true`).join(', ')}) {
  article(id: $id) { ...ArticleWithParts }
} ${ARTICLE_WITH_PARTS}`;
const LIST_QUERY = `query ($filter: ArticleFilter, $sort: ArticleSort, $period: ArticlePeriod, $page: Int, $size: Int, $isSearch: Boolean!,
  $withContent: Boolean = false, $withHtml: Boolean = false, $withViewer: Boolean = false) {
  articles(filter: $filter, sort: $sort, period: $period, page: $page, size: $size) { contents { ...Article } pagination { ...Pagination } }
} ${ARTICLE} ${PAGINATION}`;

export function graphqlArticles({ token, ...wanted }: Wanted): PageRequest {
  const request = graphqlArticlesOf(wanted);
  return token === undefined ? request : { ...request, headers: { ...request.headers, ...bearer(token) } };
}

function graphqlArticlesOf({ isWhole, ...wanted }: Wanted): PageRequest {
  if ('articleId' in wanted)
    return graphqlRequest(isWhole ? PAGE_QUERY : DETAIL_QUERY, { id: String(wanted.articleId) });
  if (isWhole)
    return graphqlRequest(LIST_QUERY, { page: wanted.page, size: LIST_SIZE, isSearch: false, withViewer: true });
  const isSearch = wanted.keyword !== undefined;
  const filter = isSearch ? { filter: { keyword: wanted.keyword } } : {};
  const popular = {
    ...(wanted.popular && { sort: 'LIKE_COUNT_DESC' }),
    ...(wanted.popular === 'week' && { period: 'WEEK' }),
  };
  return graphqlRequest(LIST_QUERY, { page: wanted.page, size: PAGE_SIZE, isSearch, ...filter, ...popular });
}
