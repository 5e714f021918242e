/** Measures lists of articles, single articles and searches, each compared with a floor of one statement. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded.js';
import { loadSecrets } from '../src/database/embedded/secrets.js';
import {
  type ArticleCase,
  articleRequest,
  casesOf,
  type Field,
  NAMES,
  type Name,
  requireSame,
  SURFACES,
} from './articles-cases.js';
import { prepareArticles } from './articles-data.js';
import { type ArticlesReport, type MeasuredCase, makeReport, toText } from './articles-report.js';
import { type AtEnd, startContender } from './contender.js';
import { startDaybook } from './daybook.js';
import { type Load, measureRequests } from './measure.js';
import { between } from './options.js';
import { describeMachine } from './report.js';

/** Folder of logs and data, relative to the compiled code and not to the working directory. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../.bench');

const stops: (() => Promise<void>)[] = [];
const atEnd: AtEnd = (stop) => void stops.push(stop);
const tell = (line: string) => process.stderr.write(`${line}\n`);

try {
  const { articles, load, isJson } = readOptions();
  const report = await Promise.race([run(articles, load), interrupted()]);
  process.stdout.write(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : toText(report));
} catch (error) {
  tell(`The bench cannot go on. ${(error as Error).message}`);
  process.exitCode = 1;
}
// Stops in reverse order of start.
for (let stop = stops.pop(); stop; stop = stops.pop()) {
  await stop().catch((error: Error) => tell(`Something did not stop: ${error.message}`));
}
// Exits explicitly, because pending work of an interrupted run would keep the process alive.
process.exit();

function readOptions(): { articles: number; load: Load; isJson: boolean } {
  const number = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      articles: number('10000'),
      seconds: number('4'),
      rounds: number('5'),
      connections: number('16'),
      json: { type: 'boolean', default: false },
    },
  });
  return {
    articles: between('articles', values.articles, 1000, 10_000_000),
    load: {
      seconds: between('seconds', values.seconds, 1, 600),
      rounds: between('rounds', values.rounds, 1, 100),
      connections: between('connections', values.connections, 1, 1000),
    },
    isJson: values.json,
  };
}

async function run(articles: number, load: Load): Promise<ArticlesReport> {
  await mkdir(FOLDER, { recursive: true });
  const { databasePassword } = await loadSecrets(FOLDER);
  const postgres = await startEmbeddedPostgres({ dataDir: FOLDER, password: databasePassword });
  atEnd(postgres.stop);
  const machine = await describeMachine(postgres.url);
  tell(`Preparing ${articles.toLocaleString('en')} articles.`);
  const url = await prepareArticles(postgres.url, articles, tell);
  const field = await startField(url);
  const cases = await casesOf(url, articles);
  await requireSame(field, cases);
  return makeReport(machine, load, articles, await measure(cases, field, load));
}

async function startField(databaseUrl: string): Promise<Field> {
  const script = fileURLToPath(new URL('./article-floor.js', import.meta.url));
  const logFile = join(FOLDER, 'article-floor.log');
  const floor = await startContender({ name: 'floor', script, databaseUrl, readyPath: '/readyz', logFile }, atEnd);
  // The number is only used in the log file name: there are no comments.
  const daybook = await startDaybook(databaseUrl, FOLDER, 0, atEnd);
  return { floor, rest: daybook, graphql: daybook };
}

/** Measures all contenders in each round; the first round, which warms up compilers and caches, is omitted. */
async function measure(cases: readonly ArticleCase[], field: Field, load: Load): Promise<MeasuredCase[]> {
  const all = cases.map((one) => ({
    case: one,
    samples: { floor: [], rest: [], graphql: [] } as MeasuredCase['samples'],
  }));
  for (let round = 0; round <= load.rounds; round++) {
    tell(round === 0 ? 'Warming up.' : `Round ${round} of ${load.rounds}.`);
    for (const { case: one, samples } of all) {
      for (const name of NAMES) {
        const sample = await measureRequests(targetOf(name, one, field, round), load);
        if (round > 0) samples[name].push(sample);
      }
    }
  }
  return all;
}

function targetOf(name: Name, one: ArticleCase, field: Field, round: number) {
  const requests = (connection: number) =>
    one.wanted(round, connection).map((wanted) => articleRequest(SURFACES[name], wanted));
  return { name, title: one.title, url: field[name], requests };
}

function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`It was stopped by ${signal}.`)));
    }
  });
}
