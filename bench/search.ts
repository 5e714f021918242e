/** Measures search over many articles: short, long, common and rare words, compared with ILIKE; and the cost of writes. */
import { SEARCH_TIMEOUT_MS } from '../src/models/article/list.js';
import { openDatabase } from '../src/platform/database/pool.js';
import { describeMachine, type Machine } from './report.js';
import { type BackfillFigures, measureBackfill } from './search-backfill.js';
import { casesOf, ILIKE_TIMEOUT_MS, measureCase, type SearchFigures } from './search-cases.js';
import { CHARACTERS, prepareSearchData } from './search-data.js';
import { measureWrites, type WriteFigures } from './search-writes.js';
import { type AtEnd, log, runBenchmark, startPostgres } from './session.js';

interface SearchReport {
  date: string;
  machine: Machine;
  articles: number;
  /** Of an article, on average. */
  characters: number;
  searches: SearchFigures[];
  writes: WriteFigures;
  backfill: BackfillFigures;
}

await runBenchmark({
  numbers: {
    articles: ['articles', 100_000, 1000, 10_000_000],
    characters: ['characters of an article on average', CHARACTERS, 100, 100_000],
    rounds: ['searches per case', 50, 1, 10_000],
    writes: ['articles that are written, with the index and without it', 300, 10, 10_000],
    backfill: ['articles of each kind whose texts are rendered', 500, 10, 10_000],
  },
  /** URL of a server to use instead of the embedded one. */
  texts: { server: '' },
  run,
  toText,
});

async function run(
  options: { articles: number; characters: number; rounds: number; writes: number; backfill: number; server: string },
  atEnd: AtEnd,
): Promise<SearchReport> {
  const { articles, characters } = options;
  const serverUrl = options.server || (await startPostgres(atEnd));
  const machine = await describeMachine(serverUrl);
  const url = await prepareSearchData(serverUrl, articles, characters);
  const database = openDatabase(url, { poolSize: 1, statementTimeoutMs: 0 });
  atEnd(() => database.close());
  const searches: SearchFigures[] = [];
  for (const one of await casesOf(url)) {
    log(`Searching for ${one.title}.`);
    searches.push(await measureCase(database, url, one, options.rounds));
  }
  log('Writing articles and rendering their texts.');
  const writes = await measureWrites(url, options.writes);
  const backfill = await measureBackfill(database, url, options.backfill);
  return { date: new Date().toISOString(), machine, articles, characters, searches, writes, backfill };
}

function within(ms: number, limitMs: number, digits = 1): string {
  return ms === Number.POSITIVE_INFINITY ? `> ${limitMs}` : ms.toFixed(digits);
}

function toText({ date, machine, articles, characters, searches, writes, backfill }: SearchReport): string {
  const lines = searches.map(
    ({ title, keyword, hits, p50, p95, snippets, ilike, plan }) =>
      `| ${title} | \`${keyword}\` | ${hits} | ${within(p50, SEARCH_TIMEOUT_MS)} | ${within(p95, SEARCH_TIMEOUT_MS)} | ${within(snippets, SEARCH_TIMEOUT_MS)} | ${within(ilike, ILIKE_TIMEOUT_MS, 0)} | ${plan} |`,
  );
  return `${date}, ${machine.cores} cores of ${machine.cpu}, load ${machine.loadBefore.toFixed(1)}, ${articles} articles of ${characters} characters. Milliseconds.

| case | keyword | hits | p50 | p95 | p50 with snippets | ILIKE | plan |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

Index ${writes.indexMb.toFixed(0)} MB, folded texts ${writes.textMb.toFixed(0)} MB, articles ${writes.articlesMb.toFixed(0)} MB.
One article in one transaction: ${writes.with.toFixed(1)} ms (p95 ${writes.withP95.toFixed(1)}), without search ${writes.without.toFixed(1)} ms.
Visible texts of 10,000 articles: ${backfill.plain.toFixed(0)} s without markup, ${backfill.marked.toFixed(0)} s with markup (measured with ${backfill.articles} each); looking for missing ones among all: ${backfill.scan.toFixed(0)} ms.
`;
}
