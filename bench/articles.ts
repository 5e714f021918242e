/** Measures lists of articles, single articles and searches, each compared with a floor of one statement. */
import { casesOf, graphqlArticles, restArticles, type Wanted, withoutSnippets } from './articles-cases.js';
import { prepareArticles } from './articles-data.js';
import { requireSame, startContenders } from './contenders.js';
import { measure } from './measure.js';
import { LOAD_OPTIONS } from './options.js';
import { describeMachine, makeReport, toMarkdown, toText } from './report.js';
import { log, runBenchmark, startPostgres } from './session.js';

await runBenchmark({
  numbers: { articles: ['articles', 10_000, 1000, 10_000_000], ...LOAD_OPTIONS },
  texts: { node: process.execPath },
  toText,
  toMarkdown,
  async run({ articles, node, ...load }, atEnd) {
    const postgresUrl = await startPostgres(atEnd);
    const machine = await describeMachine(postgresUrl, node);
    log(`Preparing ${articles.toLocaleString('en')} articles.`);
    const databaseUrl = await prepareArticles(postgresUrl, articles);
    const requests = { rest: restArticles, graphql: graphqlArticles };
    const options = { databaseUrl, node, suffix: '-articles', floor: 'article-floor', ...requests } as const;
    const contenders = await startContenders(options, atEnd);
    const cases = await casesOf(databaseUrl, articles, contenders);
    const samples = cases.flatMap((one) => one.wanted(0, 0).slice(0, 20));
    const comparable = contenders.map(({ toRest, ...one }) => ({
      ...one,
      toRest: (text: string, wanted: Wanted) => withoutSnippets(toRest ? toRest(text, wanted) : text),
    }));
    await requireSame(comparable, samples);
    return makeReport(machine, load, await measure(cases, load), articles);
  },
});
