/** Request cases for articles, and the check that all contenders return the same response. */
import { ARTICLE, ARTICLE_DETAIL, PAGINATION } from '../src/rest/endpoints/shapes.js';
import { randomFrom } from './random.js';
import { fetchText, PAGE_SIZE, type PageRequest, type Surface } from './requests.js';
import { casesOf as searchCasesOf } from './search-cases.js';

export const NAMES = ['floor', 'rest', 'graphql'] as const;
export type Name = (typeof NAMES)[number];

export const SURFACES: Record<Name, Surface> = { floor: 'rest', rest: 'rest', graphql: 'graphql' };

/** URL of each contender; REST and /graphql are one service. */
export type Field = Record<Name, string>;

export type Wanted = { articleId: number } | { page: number; keyword?: string };

export interface ArticleCase {
  key: 'first' | 'deep' | 'detail' | 'common' | 'rare';
  title: string;
  /** Requests sent in order on one connection in one round; the same for every contender. */
  wanted(round: number, connection: number): Wanted[];
}

const DEEP_PAGE = 1000;
/** Large enough that a connection rarely repeats its first request. */
const RANDOM_ARTICLES = 1000;

/** @param url of the database, whose texts determine the common and the rare keywords */
export async function casesOf(url: string, articles: number): Promise<ArticleCase[]> {
  const searches = await searchCasesOf(url);
  const keywordOf = (title: string) => searches.find((one) => one.title === title)?.request.keyword ?? '';
  const [common, rare] = [keywordOf('3, common Korean'), keywordOf('3, rare Korean')];
  const deep = Math.min(DEEP_PAGE, Math.ceil(articles / PAGE_SIZE));
  const always = (wanted: Wanted) => () => [wanted];
  return [
    { key: 'first', title: 'List, page 1', wanted: always({ page: 1 }) },
    { key: 'deep', title: `List, page ${deep.toLocaleString('en')}`, wanted: always({ page: deep }) },
    {
      key: 'detail',
      title: 'Random articles',
      wanted: (round, connection) => randomArticles(articles, round * 1000 + connection),
    },
    { key: 'common', title: `Search, common: ${common}`, wanted: always({ page: 1, keyword: common }) },
    { key: 'rare', title: `Search, rare: ${rare}`, wanted: always({ page: 1, keyword: rare }) },
  ];
}

function randomArticles(articles: number, seed: number): Wanted[] {
  const random = randomFrom(seed);
  return Array.from({ length: RANDOM_ARTICLES }, () => ({ articleId: 1 + Math.floor(random() * articles) }));
}

/** The selection of the REST document, so that both APIs return the same data. */
const DETAIL_QUERY = `query ($id: ID!) { article(id: $id) { ...ArticleDetail } } ${ARTICLE_DETAIL}`;
const LIST_QUERY = `query ($filter: ArticleFilter, $page: Int, $size: Int) {
  articles(filter: $filter, page: $page, size: $size) { contents { ...Article } pagination { ...Pagination } }
} ${ARTICLE} ${PAGINATION}`;

export function articleRequest(surface: Surface, wanted: Wanted): PageRequest {
  return surface === 'rest' ? { method: 'GET', path: restPath(wanted) } : graphqlRequest(wanted);
}

function restPath(wanted: Wanted): string {
  if ('articleId' in wanted) return `/api/articles/${wanted.articleId}`;
  const keyword = wanted.keyword === undefined ? '' : `&keyword=${encodeURIComponent(wanted.keyword)}`;
  return `/api/articles?page=${wanted.page}&size=${PAGE_SIZE}${keyword}`;
}

function graphqlRequest(wanted: Wanted): PageRequest {
  const body =
    'articleId' in wanted
      ? { query: DETAIL_QUERY, variables: { id: String(wanted.articleId) } }
      : { query: LIST_QUERY, variables: { page: wanted.page, size: PAGE_SIZE, ...filterOf(wanted.keyword) } };
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path: '/graphql', headers, body: JSON.stringify(body) };
}

function filterOf(keyword: string | undefined): object {
  return keyword === undefined ? {} : { filter: { keyword } };
}

/** @throws Error if two contenders return different responses, which would make the comparison invalid */
export async function requireSame(field: Field, cases: readonly ArticleCase[]): Promise<void> {
  for (const wanted of cases.flatMap((one) => one.wanted(0, 0).slice(0, 20))) {
    const answer = (name: Name) => fetchText(field[name], articleRequest(SURFACES[name], wanted));
    const [floor, rest, graphql] = [await answer('floor'), await answer('rest'), await answer('graphql')];
    requireEqual(floor, rest, `The floor and REST, ${restPath(wanted)}`);
    requireEqual(dataOf(graphql), JSON.stringify(JSON.parse(rest).data), `/graphql and REST, ${restPath(wanted)}`);
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

function requireEqual(one: string, other: string, what: string): void {
  if (one === other) return;
  let at = 0;
  while (one[at] === other[at]) at++;
  const near = (text: string) => `…${text.slice(Math.max(0, at - 40), at + 40)}…`;
  throw new Error(`${what}: different from character ${at}:\n${near(one)}\n${near(other)}`);
}
