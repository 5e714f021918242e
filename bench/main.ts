/** Comment benchmark: generates the data, starts the contenders, and measures them in turn. */
import { mixedCase, readCases } from './cases.js';
import { startContender } from './contender.js';
import { type BenchData, prepareData, removeAdded } from './data.js';
import { graphqlToRest, requireSame, scriptOf, startField } from './field.js';
import { type Contender, type Measured, measure } from './measure.js';
import { createSessions } from './notifications-data.js';
import { startPeers } from './peers.js';
import { graphqlRequest, type PageWanted, restRequest } from './requests.js';
import { type Bench, runBench } from './run.js';
import { withClient } from './search-data.js';

/** Baseline for the growth measurement. */
const SMALL = 10_000;

await runBench({ name: 'comments', initial: 1_000_000, most: 50_000_000 }, async (bench) => {
  const { rows, serverUrl, load, tell } = bench;
  tell(`Preparing ${rows.toLocaleString('en')} comments.`);
  const data = await prepareData(serverUrl, rows, tell);
  const contenders = await startAll(bench, data);
  const large = readCases(data, contenders);
  const cases = [large.hot, large.random, large.deep];
  if (rows > SMALL) {
    const smallData = await prepareData(serverUrl, SMALL, tell);
    const { hot, random } = readCases(smallData, await startDaybookAndFloors(bench, smallData));
    cases.push(hot, random);
  }
  // The mixed load comes last, because it leaves dead rows.
  return [...(await measure(cases, load, tell)), ...(await measureMixed(bench, data, contenders))];
});

function startDaybookAndFloors(bench: Bench, { url, comments }: BenchData): Promise<Contender<PageWanted>[]> {
  const requests = { rest: restRequest, graphql: graphqlRequest };
  return startField(bench, { databaseUrl: url, suffix: `-${comments}`, floor: 'floor', ...requests });
}

async function startAll(bench: Bench, data: BenchData): Promise<Contender<PageWanted>[]> {
  const field = await startDaybookAndFloors(bench, data);
  const textbook = {
    name: `textbook-${data.comments}`,
    command: [scriptOf('textbook')],
    databaseUrl: data.url,
    readyPath: '/graphql?query={__typename}',
  };
  const url = await startContender(textbook, bench);
  field.push({ name: 'textbook', url, request: graphqlRequest, toRest: graphqlToRest });
  if (bench.hasPeers) field.push(...(await startPeers(bench, data.url)));
  await requireSame(field, samples(data));
  return field;
}

/** Pages of the hot article from the first to past the last, and other articles. */
function samples({ comments, hotArticleId, firstArticleId, lastArticleId }: BenchData): PageWanted[] {
  const lastPage = Math.ceil(comments / 150);
  const ofHot = [1, 2, Math.ceil(lastPage / 7), lastPage - 1, lastPage, lastPage + 9];
  const others = [firstArticleId, Math.ceil(lastArticleId / 3), Math.ceil(lastArticleId / 2), lastArticleId];
  return [
    ...ofHot.map((page) => ({ articleId: hotArticleId, page })),
    ...others.flatMap((articleId) => [1, 2, 5].map((page) => ({ articleId, page }))),
  ];
}

/** @returns results of reads and writes of one member, whose comments are removed after each measurement */
function measureMixed(
  bench: Bench,
  data: BenchData,
  contenders: readonly Contender<PageWanted>[],
): Promise<Measured[]> {
  return withClient(data.url, async (client) => {
    const [writer] = await createSessions(client, 1, bench.jwtSecret);
    const restore = () => removeAdded(client, data.comments);
    return measure([mixedCase(data, contenders, writer?.token ?? '', restore)], bench.load, bench.tell);
  });
}
