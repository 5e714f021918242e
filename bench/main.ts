/** Comment benchmark: generates the data, starts the contenders, measures them in turn and prints the report. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded.js';
import { loadSecrets } from '../src/database/embedded/secrets.js';
import { type Case, type CaseKey, casesOf } from './cases.js';
import type { AtEnd } from './contender.js';
import { prepareData } from './data.js';
import { type Field, startField } from './field.js';
import { measure } from './measure.js';
import { type Options, readOptions, USAGE } from './options.js';
import { describeMachine, makeReport, type Report, toText } from './report.js';

/** Folder of logs and data, relative to the compiled code and not to the working directory. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../.bench');
/** Baseline for the growth measurement. */
const SMALL = 10_000;

const stops: (() => Promise<void>)[] = [];
const atEnd: AtEnd = (stop) => void stops.push(stop);
const tell = (line: string) => process.stderr.write(`${line}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(USAGE);
  else {
    const report = await Promise.race([run(options), interrupted()]);
    process.stdout.write(options.isJson ? `${JSON.stringify(report, undefined, 2)}\n` : toText(report));
  }
} catch (error) {
  process.stderr.write(`The bench cannot go on. ${(error as Error).message}\n`);
  process.exitCode = 1;
}
await stopAll();
// Exits explicitly, because pending work of an interrupted run would keep the process alive.
process.exit();

async function run({ comments, load }: Options): Promise<Report> {
  await mkdir(FOLDER, { recursive: true });
  const { databasePassword } = await loadSecrets(FOLDER);
  const postgres = await startEmbeddedPostgres({ dataDir: FOLDER, password: databasePassword });
  atEnd(postgres.stop);
  const machine = await describeMachine(postgres.url);
  const cases: { case: Case; field: Field }[] = [];
  for (const size of comments > SMALL ? [comments, SMALL] : [comments]) {
    tell(`Preparing ${size.toLocaleString('en')} comments.`);
    const data = await prepareData(postgres.url, size, tell);
    const field = await startField(data, FOLDER, atEnd);
    const keys: CaseKey[] = size === comments ? ['hot', 'random', 'deep'] : ['hot', 'random'];
    cases.push(...casesOf(data, keys).map((one) => ({ case: one, field })));
  }
  return makeReport(machine, load, await measure(cases, load, tell), comments);
}

function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`It was stopped by ${signal}.`)));
    }
  });
}

/** Stops in reverse order of start, including processes that an interrupted run starts meanwhile. */
async function stopAll(): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    await stop().catch((error: Error) => process.stderr.write(`Something did not stop: ${error.message}\n`));
  }
}
