/**
 * The cost of writes: the same requests, alternately to this build and to an earlier one (`--before`, its folder `dist`), one at a time. Both of a pair
 * share what else the machine does.
 */
import { register, send, WRITE_SETTINGS } from './client.js';
import { startDaybook } from './contender.js';
import { withClient } from './database.js';
import { log, runBenchmark, startPostgres } from './session.js';

interface Subject {
  readonly url: string;
  readonly token: string;
  readonly articleIds: readonly number[];
  lastCommentId: number;
}

const TEXT = 'The fog lifts at nine, and there it is. '.repeat(50);

/** The requests of each kind of write. */
const WRITES: Record<string, (subject: Subject, n: number) => [target: string, json: object | undefined]> = {
  'a comment': ({ articleIds }, n) => [
    `POST /api/articles/${articleIds[n % articleIds.length]}/comments`,
    { content: `An owl is in the attic: ${n}.` },
  ],
  'an edit of a comment': ({ lastCommentId }, n) => [`PATCH /api/comments/${lastCommentId}`, { content: `Owl ${n}.` }],
  'an article': (_subject, n) => ['POST /api/articles', { title: `Owls ${n}`, content: TEXT, tags: ['owls'] }],
  'an edit of an article': ({ articleIds }, n) => [
    `PUT /api/articles/${articleIds[n % articleIds.length]}`,
    { title: `Owls again ${n}`, content: `${TEXT} ${n}`, tags: ['owls'] },
  ],
  'a like, or its removal': ({ articleIds }, n) => [
    `${n % (2 * articleIds.length) < articleIds.length ? 'PUT' : 'DELETE'} /api/articles/${articleIds[n % articleIds.length]}/like`,
    undefined,
  ],
};

await runBenchmark({
  numbers: { pairs: ['pairs of requests for each kind of write', 1_000, 10, 100_000] },
  texts: { before: '' },
  async run({ pairs, before }, atEnd) {
    const server = await startPostgres(atEnd);
    const subjects: Subject[] = [];
    for (const [name, build] of [
      ['after', undefined],
      ['before', before || undefined],
    ] as const) {
      const databaseUrl = await emptyDatabase(server, `bench_writes_${name}`);
      const url = await startDaybook({ name: `writes-${name}`, databaseUrl, settings: WRITE_SETTINGS, build }, atEnd);
      subjects.push(await prepare(url));
    }
    const rows = [];
    for (const [title, request] of Object.entries(WRITES)) {
      log(`Measuring ${title}.`);
      rows.push({ title, ...(await measure(subjects, request, pairs)) });
    }
    return rows;
  },
  toText: (rows) =>
    rows
      .map(
        ({ title, afterMs, beforeMs, ratio }) =>
          `${title}: ${afterMs.toFixed(2)} ms, before ${beforeMs.toFixed(2)} ms, ratio ${ratio.toFixed(3)}
`,
      )
      .join(''),
});

async function emptyDatabase(server: string, name: string): Promise<string> {
  await withClient(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function prepare(url: string): Promise<Subject> {
  const token = await register(url, 'bench');
  const articleIds = [];
  for (let count = 0; count < 100; count++)
    articleIds.push(
      (await send(url, 'POST /api/articles', { title: `Title ${count}`, content: TEXT, tags: ['owls'] }, token)).id,
    );
  const { id } = await send(url, `POST /api/articles/${articleIds[0]}/comments`, { content: 'Owl' }, token);
  return { url, token, articleIds, lastCommentId: id };
}

/** First quartiles, which other work of the machine affects least, and their ratio. */
async function measure(subjects: readonly Subject[], request: (typeof WRITES)[string], pairs: number) {
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < pairs + 50; n++) {
    for (const index of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const subject = subjects[index] as Subject;
      const [target, json] = request(subject, n);
      const startedAt = performance.now();
      await send(subject.url, target, json, subject.token);
      // The first ones prepare statements.
      if (n >= 50) times[index].push(performance.now() - startedAt);
    }
  }
  const [afterMs, beforeMs] = [firstQuartile(times[0]), firstQuartile(times[1])];
  return { afterMs, beforeMs, ratio: afterMs / beforeMs };
}

function firstQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;
}
