/** Measures lists of articles, single articles and searches, each compared with a floor of one statement. */
import { loadSecrets } from '../src/platform/config/secrets.js';
import { casesOf, graphqlArticles, restArticles, type Wanted, withoutSnippets } from './articles-cases.js';
import { prepareArticles } from './articles-data.js';
import { CACHE_MB, requireSame, startContenders } from './contenders.js';
import { withClient } from './database.js';
import { type Contender, measure } from './measure.js';
import { createSessions } from './notifications-data.js';
import { LOAD_OPTIONS } from './options.js';
import { describeMachine, makeReport, toMarkdown, toText } from './report.js';
import { FOLDER, log, runBenchmark, startPostgres } from './session.js';

await runBenchmark({
  numbers: { articles: ['articles', 10_000, 100, 10_000_000], ...LOAD_OPTIONS },
  texts: { node: process.execPath },
  toText,
  toMarkdown,
  async run({ articles, node, ...load }, atEnd) {
    const postgresUrl = await startPostgres(atEnd);
    const machine = await describeMachine(postgresUrl, node);
    log(`Preparing ${articles.toLocaleString('en')} articles.`);
    const databaseUrl = await prepareArticles(postgresUrl, articles);
    const requests = { rest: restArticles, graphql: graphqlArticles };
    const options = {
      databaseUrl,
      node,
      suffix: '-articles',
      floor: 'article-floor',
      cacheMb: CACHE_MB,
      ...requests,
    } as const;
    const contenders = await startContenders(options, atEnd);
    const { jwtSecret } = await loadSecrets(FOLDER);
    const [viewer] = await withClient(databaseUrl, (client) => createSessions(client, 1, jwtSecret));
    const cases = await casesOf(databaseUrl, articles, contenders, viewer?.token);
    for (const one of cases) await requireSame(one.contenders.map(comparable), one.wanted(0, 0).slice(0, 20));
    return makeReport(machine, load, await measure(cases, load), articles);
  },
});

function comparable({ toRest, ...one }: Contender<Wanted>): Contender<Wanted> {
  return { ...one, toRest: (text, wanted) => withoutSnippets(toRest ? toRest(text, wanted) : text) };
}
