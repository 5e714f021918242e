/** Request cases for articles, and the check that all contenders return the same response. */
import { ARTICLE, ARTICLE_DETAIL, PAGINATION } from '../src/rest/endpoints/shapes.js';
import { randomIds } from './random.js';
import {
  type Api,
  type Case,
  fetchText,
  graphqlRequest,
  PAGE_SIZE,
  type PageRequest,
  requireEqual,
  type Urls,
} from './requests.js';
import { casesOf as searchCasesOf } from './search-cases.js';

/** The contenders that serve articles. */
export type ArticleName = 'floor' | 'rest' | 'graphql';

export interface ArticleCase extends Case {
  key: 'first' | 'deep' | 'detail' | 'common' | 'rare';
}

const DEEP_PAGE = 1000;

/** @param url of the database, whose texts determine the common and the rare keywords */
export async function casesOf(url: string, articles: number): Promise<ArticleCase[]> {
  const searches = await searchCasesOf(url);
  const keywordOf = (title: string) => searches.find((one) => one.title === title)?.request.keyword ?? '';
  const [common, rare] = [keywordOf('3, common Korean'), keywordOf('3, rare Korean')];
  const deep = Math.min(DEEP_PAGE, Math.ceil(articles / PAGE_SIZE));
  const list = (page: number, keyword?: string) => (api: Api) => [listRequest(api, page, keyword)];
  return [
    { key: 'first', title: 'List, page 1', requests: list(1) },
    { key: 'deep', title: `List, page ${deep.toLocaleString('en')}`, requests: list(deep) },
    {
      key: 'detail',
      title: 'Random articles',
      requests: (api, round, connection) =>
        randomIds(1, articles, round * 1000 + connection).map((id) => articleRequest(api, id)),
    },
    { key: 'common', title: `Search, common: ${common}`, requests: list(1, common) },
    { key: 'rare', title: `Search, rare: ${rare}`, requests: list(1, rare) },
  ];
}

/** The selection of the REST document, so that both APIs return the same data. */
const DETAIL_QUERY = `query ($id: ID!) { article(id: $id) { ...ArticleDetail } } ${ARTICLE_DETAIL}`;
const LIST_QUERY = `query ($filter: ArticleFilter, $page: Int, $size: Int) {
  articles(filter: $filter, page: $page, size: $size) { contents { ...Article } pagination { ...Pagination } }
} ${ARTICLE} ${PAGINATION}`;

function articleRequest(api: Api, id: number): PageRequest {
  if (api === 'graphql') return graphqlRequest(DETAIL_QUERY, { id: String(id) });
  return { method: 'GET', path: `/api/articles/${id}` };
}

function listRequest(api: Api, page: number, keyword?: string): PageRequest {
  const filter = keyword === undefined ? {} : { filter: { keyword } };
  if (api === 'graphql') return graphqlRequest(LIST_QUERY, { page, size: PAGE_SIZE, ...filter });
  const search = keyword === undefined ? '' : `&keyword=${encodeURIComponent(keyword)}`;
  return { method: 'GET', path: `/api/articles?page=${page}&size=${PAGE_SIZE}${search}` };
}

/** @throws Error if two contenders return different responses */
export async function requireSame(urls: Urls<ArticleName>, cases: readonly ArticleCase[]): Promise<void> {
  const requestsOf = (api: Api) => cases.flatMap((one) => one.requests(api, 0, 0).slice(0, 20));
  const graphqlRequests = requestsOf('graphql');
  for (const [index, request] of requestsOf('rest').entries()) {
    const [floor, rest] = [await fetchText(urls.floor, request), await fetchText(urls.rest, request)];
    const graphql = await fetchText(urls.graphql, graphqlRequests[index] ?? request);
    requireEqual(floor, rest, `The floor and REST, ${request.path}`);
    requireEqual(dataOf(graphql), JSON.stringify(JSON.parse(rest).data), `/graphql and REST, ${request.path}`);
  }
}

/** Converts to REST formats: ids as numbers, timestamps without time zone. */
function dataOf(graphql: string): string {
  const [data] = Object.values(JSON.parse(graphql).data as Record<string, unknown>);
  return JSON.stringify(data, (key, value) => {
    if (['id', 'memberId', 'categoryId'].includes(key)) return Number(value);
    return ['createdAt', 'updatedAt'].includes(key) ? String(value).replace(/Z$/, '') : value;
  });
}
