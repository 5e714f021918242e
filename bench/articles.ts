/** Measures lists of articles, single articles and searches, each compared with a floor of one statement. */
import { articleGraphqlRequest, articleRestRequest, casesOf } from './articles-cases.js';
import { prepareArticles } from './articles-data.js';
import { requireSame, startField } from './field.js';
import { measure } from './measure.js';
import { runBench } from './run.js';

await runBench({ name: 'articles', initial: 10_000, most: 10_000_000 }, async (bench) => {
  const { rows, serverUrl, load, tell } = bench;
  tell(`Preparing ${rows.toLocaleString('en')} articles.`);
  const databaseUrl = await prepareArticles(serverUrl, rows, tell);
  const requests = { rest: articleRestRequest, graphql: articleGraphqlRequest };
  const contenders = await startField(bench, { databaseUrl, suffix: '-articles', floor: 'article-floor', ...requests });
  const cases = await casesOf(databaseUrl, rows, contenders);
  const samples = cases.flatMap((one) => one.wanted(0).slice(0, 20));
  await requireSame(contenders, samples);
  return measure(cases, load, tell);
});
