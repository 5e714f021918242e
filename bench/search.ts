/** Measures search over many articles: short, long, common and rare words, compared with ILIKE; and the cost of writes. */
import { mkdir } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded.js';
import { loadSecrets } from '../src/database/embedded/secrets.js';
import { openDatabase } from '../src/database/pool.js';
import { casesOf, measureCase, type SearchFigures } from './search-cases.js';
import { prepareSearchData } from './search-data.js';
import { measureWrites, type WriteFigures } from './search-writes.js';

/** Folder of logs and data, relative to the compiled code and not to the working directory. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../.bench');

const tell = (line: string) => process.stderr.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    articles: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
    /** URL of a server to use instead of the benchmark's own. */
    server: { type: 'string' },
  },
});
const report = await run(Number(values.articles), Number(values.rounds), values.server);
process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : toText(report));

interface SearchReport {
  date: string;
  cpu: string;
  cores: number;
  load: number;
  articles: number;
  searches: SearchFigures[];
  writes: WriteFigures;
}

async function run(articles: number, rounds: number, server?: string): Promise<SearchReport> {
  await mkdir(FOLDER, { recursive: true });
  const { databasePassword } = await loadSecrets(FOLDER);
  const postgres = server ? undefined : await startEmbeddedPostgres({ dataDir: FOLDER, password: databasePassword });
  const url = await prepareSearchData(server ?? postgres?.url ?? '', articles, tell);
  const database = openDatabase(url, { poolSize: 1, statementTimeout: 0 });
  try {
    const searches: SearchFigures[] = [];
    for (const one of await casesOf(url)) {
      tell(`Searching for ${one.title}.`);
      searches.push(await measureCase(database, url, one, rounds));
    }
    const machine = { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: cpus().length, load: loadavg()[0] ?? 0 };
    return { date: new Date().toISOString(), ...machine, articles, searches, writes: await measureWrites(url) };
  } finally {
    await database.close();
    await postgres?.stop();
  }
}

function toText({ date, cpu, cores, load, articles, searches, writes }: SearchReport): string {
  const lines = searches.map(
    ({ title, keyword, hits, p50, p95, ilike, plan }) =>
      `| ${title} | \`${keyword}\` | ${hits} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | ${ilike.toFixed(0)} | ${plan} |`,
  );
  return `${date}, ${cores} cores of ${cpu}, load ${load.toFixed(1)}, ${articles} articles. Milliseconds.

| case | keyword | hits | p50 | p95 | ILIKE | plan |
|---|---|---|---|---|---|---|
${lines.join('\n')}

Index ${writes.indexMb.toFixed(0)} MB, folded texts ${writes.textMb.toFixed(0)} MB, articles ${writes.articlesMb.toFixed(0)} MB.
One article in one transaction: ${writes.with.toFixed(1)} ms (p95 ${writes.withP95.toFixed(1)}), without search ${writes.without.toFixed(1)} ms.
`;
}
