/** Measures lists of articles, single articles and searches, each compared with a floor of one statement. */
import { ratio } from './aims.js';
import { type ArticleCase, type ArticleName, casesOf, requireSame } from './articles-cases.js';
import { prepareArticles } from './articles-data.js';
import { startContender, startDaybook } from './contender.js';
import { type Load, measure } from './measure.js';
import { LOAD_OPTIONS } from './options.js';
import { describeMachine, inColumns, LABELS, linesOf, makeReport, type Report } from './report.js';
import type { Urls } from './requests.js';
import { type AtEnd, log, runBenchmark, startPostgres } from './session.js';

interface ArticlesReport extends Report<ArticleCase> {
  articles: number;
  /** Ratio of the p50 of the deep page to that of the first page. */
  deepToFirst: Record<ArticleName, number>;
}

await runBenchmark({
  numbers: { articles: ['articles', 10_000, 1000, 10_000_000], ...LOAD_OPTIONS },
  run,
  toText,
});

async function run({ articles, ...load }: Load & { articles: number }, atEnd: AtEnd): Promise<ArticlesReport> {
  const postgresUrl = await startPostgres(atEnd);
  const machine = await describeMachine(postgresUrl);
  log(`Preparing ${articles.toLocaleString('en')} articles.`);
  const databaseUrl = await prepareArticles(postgresUrl, articles);
  const urls = await startContenders(databaseUrl, atEnd);
  const cases = await casesOf(databaseUrl, articles);
  await requireSame(urls, cases);
  const measured = await measure(
    cases.map((one) => ({ case: one, urls })),
    load,
  );
  const samplesOf = (key: ArticleCase['key'], name: ArticleName) =>
    measured.find((one) => one.case.key === key)?.samples[name] ?? [];
  const slower = (name: ArticleName) => ratio(samplesOf('deep', name), samplesOf('first', name), 'p50');
  const deepToFirst = { floor: slower('floor'), rest: slower('rest'), graphql: slower('graphql') };
  return { ...makeReport(machine, load, measured), articles, deepToFirst };
}

async function startContenders(databaseUrl: string, atEnd: AtEnd): Promise<Urls<ArticleName>> {
  const options = { name: 'article-floor', script: './article-floor.js', databaseUrl, readyPath: '/readyz' };
  const floor = await startContender(options, atEnd);
  const daybook = await startDaybook(databaseUrl, 'daybook-articles', atEnd);
  return { floor, rest: daybook, graphql: daybook };
}

function toText(report: ArticlesReport): string {
  const ratios = Object.entries(report.deepToFirst).map(([name, value]) =>
    inColumns([`  ${LABELS[name as ArticleName]}`, value.toFixed(2)]),
  );
  const lines = linesOf(report, `${report.articles.toLocaleString('en')} articles`);
  return [...lines, '', 'p50 of the deep page to that of page 1', ...ratios, ''].join('\n');
}
