/** Comment benchmark: generates the data, starts the contenders, and measures them in turn. */
import { loadSecrets } from '../src/platform/config/secrets.js';
import { graphqlPage, largerCase, mixedCase, type PageWanted, readCases, restPage } from './cases.js';
import { startContender } from './contender.js';
import { CACHE_MB, graphqlToRest, requireSame, startCached, startContenders } from './contenders.js';
import { type BenchData, prepareData, removeAdded } from './data.js';
import { withClient } from './database.js';
import { type Contender, type Load, type Measured, measure } from './measure.js';
import { createSessions } from './notifications-data.js';
import { LOAD_OPTIONS } from './options.js';
import { articleCases } from './peer-cases.js';
import { installPeers } from './peers.js';
import { describeMachine, makeReport, type Report, toMarkdown, toText } from './report.js';
import { type AtEnd, FOLDER, log, runBenchmark, startPostgres } from './session.js';

/** Above this number of comments, the textbook takes more than ten seconds for a page of the hot article. */
const TEXTBOOK_MAX = 1_000_000;
/** Comments in the smaller data set, the baseline for the growth measurement. */
const SMALL = 10_000;
const REQUESTS = { rest: restPage, graphql: graphqlPage };

await runBenchmark({
  numbers: {
    comments: ['comments in the larger data set', 1_000_000, SMALL, 50_000_000],
    cache: ['MiB of the cache of the case that exceeds it', CACHE_MB, 1, 1000],
    ...LOAD_OPTIONS,
  },
  texts: { node: '', peer: '' },
  run,
  toText,
  toMarkdown,
});

interface Options extends Load {
  comments: number;
  cache: number;
  /** Path of the Node binary of the contenders; empty for this one, or that of the peer. */
  node: string;
  /** Other products, separated by commas: `postgraphile,strapi,wordpress,ghost`. */
  peer: string;
}

async function run({ comments, cache, peer, node: givenNode, ...load }: Options, atEnd: AtEnd): Promise<Report> {
  const peers = installPeers(peer);
  const node = givenNode || peers.node;
  const postgresUrl = await startPostgres(atEnd);
  const machine = await describeMachine(postgresUrl, node);
  log(`Preparing ${comments.toLocaleString('en')} comments.`);
  const data = await prepareData(postgresUrl, comments);
  // For a few responses, the caches of all cases are those of the case that exceeds it.
  const isMeasured = load.seconds > 0;
  const contenders = await startCommon(data, node, isMeasured ? CACHE_MB : cache, atEnd);
  if (comments <= TEXTBOOK_MAX) contenders.push(await startTextbook(data, node, atEnd));
  const started = await peers.start(data, node, atEnd);
  contenders.push(...started.flatMap(({ comments }) => comments ?? []));
  await requireSame(contenders, samples(data));
  const large = readCases(data, contenders);
  const withCache = { databaseUrl: data.url, node, suffix: `-larger-${comments}`, cacheMb: cache, ...REQUESTS };
  const floor = contenders.filter(({ name }) => name === 'floor');
  const cached = isMeasured ? await startCached(withCache, atEnd) : contenders.filter(({ isCached }) => isCached);
  const cases = [large.hot, large.random, large.deep, await largerCase(data, [...floor, ...cached], cache)];
  if (comments > SMALL) {
    const smallData = await prepareData(postgresUrl, SMALL);
    const small = readCases(smallData, await startCommon(smallData, node, CACHE_MB, atEnd));
    cases.push(small.hot, small.random);
  }
  const measured = await measure(cases, load);
  if (peer) {
    const others = started.flatMap(({ articles }) => articles ?? []);
    measured.push(...(await measure(await articleCases(data, contenders, others, node, atEnd), load)));
  }
  // The mixed load comes last, because it leaves dead rows.
  measured.push(...(await measureMixed(data, contenders, load)));
  return makeReport(machine, load, measured, comments);
}

function startCommon({ url: databaseUrl, comments }: BenchData, node: string, cacheMb: number, atEnd: AtEnd) {
  return startContenders({ databaseUrl, node, suffix: `-${comments}`, floor: 'floor', cacheMb, ...REQUESTS }, atEnd);
}

async function startTextbook(
  { url: databaseUrl, comments }: BenchData,
  node: string,
  atEnd: AtEnd,
): Promise<Contender<PageWanted>> {
  const options = { name: `textbook-${comments}`, script: './textbook.js', databaseUrl, node };
  const url = await startContender({ ...options, readyPath: '/graphql?query={__typename}' }, atEnd);
  return { name: 'textbook', url, request: graphqlPage, toRest: graphqlToRest };
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

/** Reads, and writes of one member, whose comments are removed after each measurement. */
async function measureMixed(
  data: BenchData,
  contenders: readonly Contender<PageWanted>[],
  load: Load,
): Promise<Measured[]> {
  const { jwtSecret } = await loadSecrets(FOLDER);
  return withClient(data.url, async (client) => {
    const [writer] = await createSessions(client, 1, jwtSecret);
    const restore = () => removeAdded(client, data.comments);
    return measure([mixedCase(data, contenders, writer?.token ?? '', restore)], load);
  });
}
