/**
 * The cost of writes, one at a time: how many a second, and of a comment, relative to the floor. With `--before`, the folder `dist` of an earlier build, the same
 * requests are sent alternately to both builds, then those of 16 members at the same time. Both of a pair share what else the machine does.
 */
import { register, send, WRITE_SETTINGS } from './client.js';
import { startContender, startDaybook } from './contender.js';
import { withClient } from './database.js';
import { log, runBenchmark, startPostgres } from './session.js';

interface Subject {
  readonly url: string;
  readonly token: string;
  readonly articleIds: readonly number[];
  lastCommentId: number;
  draftId: number;
}

const TEXT = 'The fog lifts at nine, and there it is. '.repeat(50);

type Write = (subject: Subject, n: number) => [target: string, json: object | undefined];

const PUBLICATION: Write = ({ draftId }) => [`POST /api/drafts/${draftId}/publish`, {}];

/** The requests of each kind of write. */
const WRITES: Record<string, Write> = {
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
  'an autosave of a draft': ({ draftId }, n) => [`PATCH /api/drafts/${draftId}`, { content: `${TEXT} ${n}` }],
  'a publication of a draft': PUBLICATION,
};

const COMMENT = 'a comment';
/** Most time of a comment, relative to that of an INSERT by the floor, with the same triggers. */
const MOST = 1.5;

/** Members who send their requests at the same time, each on a connection of its own. */
const MEMBERS = 16;
/** Requests of each of them in a turn. A turn of each build is a pair. */
const TURN = 20;

/** The requests of member `m` at the same time as those of the others. */
const CONCURRENT: Record<string, (subject: Subject, m: number, n: number) => ReturnType<Write>> = {
  'comments on one article': ({ articleIds: [articleId] }, _m, n) => [
    `POST /api/articles/${articleId}/comments`,
    { content: `An owl is in the attic: ${n}.` },
  ],
  'comments on sixteen articles': ({ articleIds }, m, n) => [
    `POST /api/articles/${articleIds[m]}/comments`,
    { content: `An owl is in the attic: ${n}.` },
  ],
  'a comment after 19 reads of its article': ({ articleIds: [articleId] }, m, n) =>
    n % 20 === m
      ? [`POST /api/articles/${articleId}/comments`, { content: `An owl is in the attic: ${n}.` }]
      : [`GET /api/articles/${articleId}/comments?size=15`, undefined],
};

interface Written {
  title: string;
  ms: number;
  /** One after the other. */
  perSecond: number;
  /** What the ratio is to; null if there is nothing to compare with. */
  other: 'before' | 'the floor' | null;
  otherMs: number;
  ratio: number;
}

await runBenchmark({
  numbers: {
    pairs: ['pairs of requests for each kind of write', 1_000, 2, 100_000],
    warmup: ['pairs before them, which prepare the statements', 50, 0, 1_000],
  },
  texts: { before: '' },
  async run({ pairs, warmup, before }, atEnd): Promise<{ rows: Written[]; concurrent: string[] }> {
    const server = await startPostgres(atEnd);
    const start = async (name: string, build?: string) => {
      const databaseUrl = await emptyDatabase(server, `bench_writes_${name}`);
      const url = await startDaybook({ name: `writes-${name}`, databaseUrl, settings: WRITE_SETTINGS, build }, atEnd);
      return { databaseUrl, subject: await prepare(url, Math.min(warmup + pairs, 100)) };
    };
    const { databaseUrl, subject } = await start('after');
    const earlier = before ? (await start('before', before)).subject : undefined;
    const options = { name: 'writes-floor', script: './floor.js', databaseUrl, readyPath: '/readyz' };
    const floor = { ...subject, url: await startContender(options, atEnd) };
    const rows: Written[] = [];
    for (const [title, request] of Object.entries(WRITES)) {
      log(`Measuring ${title}.`);
      const other = earlier ? 'before' : title === COMMENT ? 'the floor' : null;
      const [ms = Number.NaN, otherMs = Number.NaN] = await measure(
        [subject, ...(other === null ? [] : [earlier ?? floor])],
        request,
        { pairs, warmup },
      );
      rows.push({ title, ms, perSecond: 1000 / ms, other, otherMs, ratio: ms / otherMs });
    }
    return { rows, concurrent: earlier ? await measureConcurrent([subject, earlier], Math.ceil(pairs / 10)) : [] };
  },
  toText: ({ rows, concurrent }) =>
    rows
      .map(({ title, ms, perSecond, other, otherMs, ratio }) => {
        const target = other === 'the floor' ? `, ${ratio <= MOST ? 'reached' : 'missed'}: ≤ ${MOST}` : '';
        const compared = other && `, ${other} ${otherMs.toFixed(2)} ms, ratio ${ratio.toFixed(3)}${target}`;
        return `${title}: ${ms.toFixed(2)} ms, ${perSecond.toFixed(0)} a second${compared ?? ''}\n`;
      })
      .join('') + concurrent.map((line) => `${line}\n`).join(''),
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

async function prepare(url: string, articles: number): Promise<Subject> {
  const token = await register(url, 'bench');
  const articleIds = [];
  for (let count = 0; count < articles; count++)
    articleIds.push(
      (await send(url, 'POST /api/articles', { title: `Title ${count}`, content: TEXT, tags: ['owls'] }, token)).id,
    );
  const { id } = await send(url, `POST /api/articles/${articleIds[0]}/comments`, { content: 'Owl' }, token);
  const subject = { url, token, articleIds, lastCommentId: id, draftId: 0 };
  return { ...subject, draftId: await createDraft(subject) };
}

async function createDraft({ url, token }: Subject): Promise<number> {
  return (await send(url, 'POST /api/drafts', { title: 'Owls', content: TEXT, tags: ['owls'] }, token)).id;
}

/** @returns the first quartile of each, which other work of the machine affects least */
async function measure(
  subjects: readonly Subject[],
  write: Write,
  { pairs, warmup }: { pairs: number; warmup: number },
): Promise<number[]> {
  const times = subjects.map((subject) => ({ subject, all: [] as number[] }));
  for (let n = 0; n < warmup + pairs; n++) {
    for (const { subject, all } of n % 2 === 0 ? times : times.toReversed()) {
      if (write === PUBLICATION) subject.draftId = await createDraft(subject);
      const [target, json] = write(subject, n);
      const startedAt = performance.now();
      await send(subject.url, target, json, subject.token);
      if (n >= warmup) all.push(performance.now() - startedAt);
    }
  }
  return times.map(({ all }) => quantile(all, 1 / 4));
}

/** @returns sentences with medians of the turns, relative to those of the earlier build */
async function measureConcurrent(subjects: readonly [Subject, Subject], turns: number): Promise<string[]> {
  const tokens = await Promise.all(
    subjects.map(({ url }) => Promise.all(Array.from({ length: MEMBERS }, (_, m) => register(url, `member-${m}`)))),
  );
  const lines = [];
  for (const [title, request] of Object.entries(CONCURRENT)) {
    log(`Measuring ${title}.`);
    const ratios: number[] = [];
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn++) {
      const seconds = [0, 0];
      for (const build of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const { [build]: subject } = subjects;
        const startedAt = performance.now();
        const ofMember = async (token: string, m: number) => {
          for (let n = 0; n < TURN; n++) {
            const sentAt = performance.now();
            await send(subject.url, ...request(subject, m, n), token);
            times[build].push(performance.now() - sentAt);
          }
        };
        await Promise.all((tokens[build] ?? []).map(ofMember));
        seconds[build] = performance.now() - startedAt;
      }
      ratios.push((seconds[1] ?? Number.NaN) / (seconds[0] ?? Number.NaN));
    }
    const [low, median, high] = [1, 2, 3].map((q) => quantile(ratios, q / 4).toFixed(3));
    const p99 = quantile(times[0], 0.99) / quantile(times[1], 0.99);
    lines.push(
      `${title}, ${MEMBERS} members at a time: ${median} × as many a second as before (quartiles ${low}, ${high}), p99 ${p99.toFixed(2)} × as long`,
    );
  }
  return lines;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
