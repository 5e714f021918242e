/** Search cases: the most and the least frequent substrings of the texts, and their response times. */
import { articleSearch, findArticlesByKeyword, type KeywordRequest } from '../src/models/article/search.js';
import { type Database, sqlState } from '../src/platform/database/pool.js';
import { withClient } from './database.js';

export interface SearchCase {
  title: string;
  request: KeywordRequest;
}

export interface SearchFigures {
  title: string;
  keyword: string;
  hits: number;
  /** Milliseconds; Infinity above the time limit of a search. */
  p50: number;
  p95: number;
  /** p50 of the same search with snippets, in alternation with the one without. */
  snippets: number;
  /** Infinity above {@link ILIKE_TIMEOUT_MS}. */
  ilike: number;
  plan: string;
}

/** With a million articles, each of the cases would take more than a minute. */
export const ILIKE_TIMEOUT_MS = 10_000;
const QUERY_CANCELED = '57014';

const SCRIPTS = { Korean: /^[가-힣]+\.?$/, English: /^[a-z]+$/ };

/** @returns cases of one, two, three and eight characters, common and rare, and some of several words. */
export async function casesOf(url: string): Promise<SearchCase[]> {
  const contents = await withClient(url, async (client) => {
    const { rows } = await client.query(
      'select content from article_search where article_id % 200 = 7 order by article_id',
    );
    return rows.map(({ content }) => content as string);
  });
  const includes = { content: false, tags: false };
  const page = { scope: {}, order: null, slice: { limit: 10, offset: 0 }, includes };
  const singles = [1, 2, 3, 8].flatMap((size) =>
    Object.entries(SCRIPTS).flatMap(([script, letters]) => {
      const substrings = substringsOf(contents, size, letters);
      return [
        { title: `${size}, common ${script}`, request: { ...page, keyword: substrings.at(0) ?? '' } },
        { title: `${size}, rare ${script}`, request: { ...page, keyword: substrings.at(-1) ?? '' } },
      ];
    }),
  );
  const common = '그리고 오늘은 the';
  return [
    ...singles,
    { title: 'three common words', request: { ...page, keyword: common } },
    { title: 'the same, page 1,001', request: { ...page, keyword: common, slice: { ...page.slice, offset: 10_000 } } },
    { title: 'common, one tag', request: { ...page, keyword: '그리고', scope: { tag: 'coffee' } } },
    { title: 'common, one member', request: { ...page, keyword: '그리고', scope: { memberId: 7 } } },
    { title: 'longer than a key', request: { ...page, keyword: 'https://example.com/2026/a' } },
    { title: 'nothing', request: { ...page, keyword: '뷁쉟뷁' } },
  ];
}

/** @returns all substrings of words with this size, the most frequent first */
function substringsOf(contents: string[], size: number, letters: RegExp): string[] {
  const counts = new Map<string, number>();
  for (const content of contents) {
    const substrings = new Set<string>();
    for (const word of new Set(content.split(' '))) {
      for (let start = 0; start + size <= word.length; start++) substrings.add(word.slice(start, start + size));
    }
    for (const substring of substrings)
      if (letters.test(substring)) counts.set(substring, (counts.get(substring) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([substring]) => substring);
}

const WARM_UP = 3;

export async function measureCase(database: Database, url: string, { title, request }: SearchCase, rounds: number) {
  const hits = await countHits(url, request);
  const withSnippets = { ...request, includes: { ...request.includes, snippet: true } };
  const plain: number[] = [];
  const extended: number[] = [];
  for (let round = 0; round < WARM_UP + rounds; round++) {
    plain.push(...(await timesOf(1, () => findArticlesByKeyword(database, request))));
    extended.push(...(await timesOf(1, () => findArticlesByKeyword(database, withSnippets))));
  }
  const [sorted = [], sortedExtended = []] = [plain, extended].map((times) =>
    times.slice(WARM_UP).sort((a, b) => a - b),
  );
  const plan = await planOf(url, request);
  const ilike = await ilikeTime(url, request.keyword);
  const figures: SearchFigures = {
    title,
    keyword: request.keyword,
    hits,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    snippets: percentile(sortedExtended, 0.5),
    ilike,
    plan,
  };
  return figures;
}

/** In milliseconds; Infinity for one that a time limit ended. */
export async function timesOf(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const isComplete = await work().then(
      () => true,
      (error) => {
        if (sqlState(error) === QUERY_CANCELED) return false;
        throw error;
      },
    );
    times.push(isComplete ? performance.now() - start : Number.POSITIVE_INFINITY);
  }
  return times;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Naive search with ILIKE: without an index, tags and ranking. */
async function ilikeTime(url: string, keyword: string): Promise<number> {
  const patterns = keyword.split(' ').map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  const sql = `select id, count(*) over () from articles
    where (select bool_and(title ilike p or content ilike p) from unnest($1::text[]) p)
    order by created_at desc, id desc limit 10`;
  return withClient(url, async (client) => {
    await client.query('set max_parallel_workers_per_gather = 0');
    // Executed once: it takes seconds, and its data is cached by the preceding rounds.
    await client.query(`set statement_timeout = ${ILIKE_TIMEOUT_MS}`);
    const [time = Number.NaN] = await timesOf(1, () => client.query(sql, [patterns]));
    return time;
  });
}

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** Without a time limit. */
async function countHits(url: string, { keyword, scope: filter }: KeywordRequest): Promise<number> {
  const { sql, values } = articleSearch({ keyword, filter, page: { limit: 1, offset: 0 } });
  return withClient(url, async (client) => Number((await client.query(sql, values)).rows[0].total));
}

/** @returns the executed scans of tables and indexes, with their row counts */
async function planOf(url: string, request: KeywordRequest): Promise<string> {
  const { keyword, scope: filter, slice } = request;
  const { limit, offset = 0 } = slice;
  const { sql, values } = articleSearch({ keyword, filter, page: { limit, offset } });
  return withClient(url, async (client) => {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare searched as ${sql}`);
    const literals = values.map((value) => client.escapeLiteral(String(value))).join(', ');
    const { rows } = await client.query(`explain (analyze, timing off, format json) execute searched(${literals})`);
    const scans: string[] = [];
    collect(rows[0]['QUERY PLAN'][0].Plan, scans);
    return scans.join(', ');
  });
}

function collect(node: PlanNode, scans: string[]): void {
  const { 'Node Type': type, 'Index Name': index, 'Actual Rows': rows, 'Actual Loops': loops, Plans = [] } = node;
  if (index?.startsWith('article_search_') && loops > 0) {
    scans.push(`${type === 'Bitmap Index Scan' ? 'keys' : 'newest'} ${Math.round(rows)}`);
  }
  for (const child of Plans) collect(child, scans);
}
