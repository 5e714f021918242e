/**
 * No word, id, slug, total or stamp of a private text reaches anyone but its author, and nothing of a comment that waits for approval anyone but its
 * author and that of the article. Every operation of both APIs is read as an anonymous reader, as other
 * members and with API tokens: the responses are byte for byte those of a journal without the private texts, before they are written, after
 * changes of them, and after they are deleted. The ids of future texts are known, so that they are also compared with unknown ones.
 * Nor does a word of a comment that is hidden, removed by a moderator, held again or deleted, or whose writer the reader has blocked, reach this reader. A
 * removed article is as a private one, except for moderators, to whom private texts are as unknown ones.
 */
import { expect } from 'chai';
import { buildSchema } from '../src/graphql/schema.js';
import { refreshTrends } from '../src/models/article/trend.js';
import { randomFrom, type SeededRandom } from './hostile/seeded-random.js';
import { useApp } from './support/app.js';
import { numberChanges } from './support/changes.js';
import { call } from './support/client.js';
import {
  type Copy,
  concernsTexts,
  describeRead,
  isUncallable,
  type Read,
  type Reader,
  readsOf,
  sample,
  sendAll,
  shuffled,
} from './support/compared-reads.js';
import { truncateAll } from './support/database.js';
import { runJobs, runSummaries } from './support/jobs.js';
import { closeLiveClients } from './support/live.js';
import { readableLog } from './support/log.js';
import { allOperations, type Operation } from './support/operations.js';
import { awayFromEndOf } from './support/period.js';
import {
  buildReaders,
  concernsOwnComments,
  maskedIn,
  moderatorReads,
  openStreams,
  readOutside,
  readOwn,
  requireNoTrace,
  requireUnknown,
  type Secrets,
  subjectsOf,
  withoutIds,
} from './support/private-readers.js';
import {
  buildPublicTexts,
  COMMENTER_WORD,
  commentWithKey,
  deleteArticle,
  FIRST_IDS,
  PRIVATE_WRITES,
  type PrivateJournal,
  type PrivateTexts,
  removeArticle,
  replyToCommenter,
  setFirstIds,
  setVisibility,
  WAVERING_IDS,
  WAVERING_WORD,
  WORD,
} from './support/private-texts.js';
import { buildWithRole } from './support/roles.js';
import { startSmtp } from './support/smtp.js';
import { ageStamps } from './support/stamps.js';
import { casesOf } from './support/tier.js';

const READS = casesOf('PRIVATE_READS', 400, 5_000);
const SEED = Number(process.env.PRIVATE_SEED ?? 20_261_123);
/** Of about 11,000; the main readers have 1,600 different requests. */
const READS_AT_ONCE = casesOf('PRIVATE_READS_AT_ONCE', 60, 800);
/** Names of the operations to read; absent: all. */
const ONLY = new RegExp(process.env.PRIVATE_OPERATIONS ?? '');
/** At most, on a busy machine. */
const ROUND_MS = 180_000;
/** Each is a read of a private text and one of an unknown one. */
const MODERATOR_READS = casesOf('PRIVATE_MODERATOR_READS', 20, 200);
/** Of `buildReaders`; the others are samples. */
const MAIN_READERS = 5;

const FEEDS = ['GET /api/changes', 'Query.changes'];

/** What is not compared like the other operations, with the reason. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  'GET /api/notifications/stream': 'It does not end: `openStreams` reads it.',
  'GET /api/members/me/archive': 'It adds a security event: `readOutside` reads the same files.',
  'GET /metrics': 'It counts requests: the last test reads it.',
  'GET /images/{name}': 'The URLs of images are unguessable, and public.',
  'GET /api/members/me/tokens': 'It contains the times of their use.',
  'Query.apiTokens': 'It contains the times of their use.',
  'GET /api/members/me/sessions': 'It contains the times of their use.',
  'Query.sessions': 'It contains the times of their use.',
  'Query.webhook': 'It is for administrators, and does not read texts.',
  'Query.webhookAttempts': 'It is for administrators, and does not read texts.',
  'Query.passkeyLoginOptions': 'It is random, and does not read texts.',
  'Query.passkeyRegistrationOptions': 'It is random, and does not read texts.',
  'Query.socialLoginUrl': 'It is random, and does not read texts.',
};

const LIST_OF_COMMENTS = 'GET /api/articles/{articleId}/comments';

const PLACEHOLDERS = ['(hidden)', '(blocked)', '(removed)', '(deleted)', '(held)'];

const ids = (digit: number | string) => new RegExp(`\\b${digit}[3-6]10\\d{3}\\b`);
const PRIVATE: Secrets = { words: new RegExp(WORD, 'i'), wordsOfAuthor: new RegExp(WORD, 'i'), ids: ids(7) };
const FORMERLY_PUBLIC: Secrets = {
  words: new RegExp(`${WORD}|${WAVERING_WORD}|${COMMENTER_WORD}`, 'i'),
  wordsOfAuthor: new RegExp(`${WORD}|${WAVERING_WORD}`, 'i'),
  ids: ids('[67]'),
};

/** Moderators see comments that are held on public articles, and the ids and reports of articles that were public, without their author. */
const NEVER_IN_QUEUE = new RegExp(`${WORD}(?!held)`, 'i');
const notInQueueOf = ({ author: { id, nickname } }: PrivateJournal) =>
  new RegExp(`${NEVER_IN_QUEUE.source}|${WAVERING_WORD}|"${nickname}"|"memberId":"?${id}\\b`, 'i');

const LIMITS = {
  LIMIT_WRITES: '1000000/1m',
  LIMIT_WRITE_BYTES: '1GB/1d',
  LIMIT_API_TOKENS: '100000/1h',
  GRAPHQL_MAX_COST: '10000000',
  GRAPHQL_MAX_TOKENS: '100000',
  GRAPHQL_MAX_CHARACTERS: '1000000',
  PUBLIC_URL: 'http://localhost:4000',
};
const { log, lines } = readableLog();
const smtp = await startSmtp();
after(() => smtp.close());
const app = useApp({ ...LIMITS, ...smtp.environment, RESPONSE_CACHE_MB: '0' }, { log });
const cached = useApp({ ...LIMITS, ...smtp.environment, RESPONSE_CACHE_MB: '32' }, { log });

describe(`${READS} reads of a journal with private texts (seed ${SEED})`, function () {
  this.timeout(120_000 + READS * 60);
  afterEach(closeLiveClients);
  const counts: Record<string, number> = {};
  const count = (name: string, times = 1) => {
    counts[name] = (counts[name] ?? 0) + times;
  };
  let operations: Operation[];
  before(async () => {
    operations = await allOperations(app, buildSchema());
  });

  it('cover every operation', () => {
    const names = operations.map(({ name }) => name);
    expect(Object.keys(NOT_COMPARED).filter((name) => !names.includes(name))).to.deep.equal([]);
    const uncallable = operations.filter((one) => isUncallable(one) && (!one.isWrite || concernsTexts(one)));
    expect(uncallable.map(({ name }) => name).filter((name) => !(name in NOT_COMPARED))).to.deep.equal([]);
  });

  it('are the same as without the private texts', async () => {
    for (let round = 0; (counts.reads ?? 0) < READS; round++) await compareRound(randomFrom(SEED + round));
    process.stdout.write(`      ${JSON.stringify(counts)}\n`);
    if (process.env.PRIVATE_OPERATIONS) return;
    for (const placeholder of PLACEHOLDERS) expect(counts[placeholder], placeholder).to.be.above(0);
  });

  it('leave no trace of them in the log and the metrics', async () => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    for (const text of [metrics, lines.join('')]) expect(text).to.not.match(FORMERLY_PUBLIC.words);
  });

  async function compareRound(random: SeededRandom): Promise<void> {
    await awayFromEndOf('hour', ROUND_MS);
    await truncateAll(app.database);
    isNumbered = true;
    smtp.setBehaviors('accept');
    const journal = await buildPublicTexts(app, random);
    const texts: PrivateTexts = { articles: [], removed: [], comments: [], drafts: [], held: [] };
    const member = await buildWithRole(app, 'MODERATOR');
    const moderator = { name: 'a moderator', token: member.token, viewerId: member.id, scopes: null };
    const readers = await buildReaders(app, journal, member);
    const streams = await openStreams(app.url, readers);
    await runAllJobs();

    const shown = choose(random, journal, readers, true);
    let state = await remember(journal, shown);
    requireUnknown(state.reads, state.copies);
    expect(state.copies.some(({ body }) => body.includes(WAVERING_WORD))).to.equal(true);
    for (const change of ['written', 'changed']) {
      await writePrivately(random, journal, texts);
      await requireSame(`private texts were ${change}`, state, journal, PRIVATE);
    }
    await requireUnknownTo(moderator, random, journal, texts, NEVER_IN_QUEUE);

    // Removals in the feed of changes name what was public.
    isNumbered = false;
    await setFirstIds(app, WAVERING_IDS, 100);
    expect(await commentWithKey(app.url, journal)).to.include(`${WAVERING_WORD}title`);
    await replyToCommenter(app.url, journal);
    await setFirstIds(app, FIRST_IDS, 100);
    await streams.receive({ 'the commenter': 1, 'an API token of the author': 1 });
    await removeArticle(app, texts, journal.fading.id);
    await setVisibility(app.url, journal, 'PRIVATE');
    texts.articles.push(journal.wavering.id);
    await runAllJobs();
    const ofCache = shown.filter(({ reader }) => reader.token === undefined);
    state = await remember(journal, [...ofCache, ...choose(random, journal, readers, false)]);
    requireNoTrace(state.reads, state.copies, FORMERLY_PUBLIC);
    expect(state.outside['the archive of the commenter']).to.not.match(new RegExp(`${WORD}|${WAVERING_WORD}`));
    expect(maskedIn(`${state.outside['the archive of the commenter']}`, journal.commenter.id, journal)).to.deep.equal(
      [],
    );
    for (const name of ['the public export', 'the Markdown export']) {
      expect(state.outside[name], name).to.not.match(FORMERLY_PUBLIC.words);
      expect(maskedIn(`${state.outside[name]}`, 0, journal), name).to.deep.equal([]);
    }
    expect(state.outside.emails).to.not.include(`${WAVERING_WORD}reply`);
    const repeated = await commentWithKey(app.url, journal);
    expect(repeated).to.not.include(WAVERING_WORD);
    await writePrivately(random, journal, texts);
    await requireSame('an article that was public was changed', state, journal, FORMERLY_PUBLIC);
    await requireUnknownTo(moderator, random, journal, texts, notInQueueOf(journal));

    for (const id of [...journal.wavering.commentIds, ...journal.fading.commentIds, WAVERING_IDS.comment + 100])
      await call(app.url, `DELETE /api/comments/${id}`, { token: journal.commenter.token });
    await requireSame('comments on it were deleted', without('the commenter', state), journal, FORMERLY_PUBLIC);
    state = await remember(journal, state.reads);
    // The commenter's own like and bookmark of it, without its title, end with it.
    const { 'the archive of the commenter': _, ...outside } = state.outside;
    for (const id of [...texts.articles, ...texts.removed]) await deleteArticle(app.url, journal, texts, id);
    for (const id of texts.drafts) await call(app.url, `DELETE /api/drafts/${id}`, { token: journal.author.token });
    await runAllJobs();
    await requireSame('all private texts were deleted', { ...state, outside }, journal, FORMERLY_PUBLIC);
    expect(await commentWithKey(app.url, journal)).to.equal(repeated);
    await streams.receive({ 'the commenter': 1, 'an API token of the author': 1 });
  }

  /** Whether the feed of changes receives what was written. */
  let isNumbered = true;

  async function writePrivately(random: SeededRandom, journal: PrivateJournal, texts: PrivateTexts): Promise<void> {
    for (const [kind, write] of Object.entries(PRIVATE_WRITES)) {
      for (let times = random.integer(1, 2); times > 0; times--) {
        const url = random.pick([app.url, cached.url]);
        if (await write({ app, url, random, journal, texts })) count(kind);
      }
    }
    await runAllJobs();
    await readOwn(app, journal, texts);
  }

  async function runAllJobs(): Promise<void> {
    for (let run = 0; run < 3; run++) {
      await runSummaries(app);
      await runJobs(app);
    }
    if (isNumbered) await numberChanges(app.database);
    // Each article is in the lists of all periods, unless it is too early in the day.
    await app.database.sequelize.query(`insert into reactions (article_id, kind, member_id, created_at)
      select id, 'LIKE', member_id, now() - interval '2 hours' from all_articles on conflict do nothing`);
    await app.database.sequelize.query(`insert into article_view_days (article_id, day, views)
      select article_id, (now() at time zone 'UTC')::date, 1 from article_counts on conflict do nothing`);
    await refreshTrends(app.database);
  }

  function choose(random: SeededRandom, journal: PrivateJournal, readers: Reader[], isPublic: boolean): Read[] {
    const compared = operations.filter(({ name }) => !(name in NOT_COMPARED) && ONLY.test(name));
    const subjects = subjectsOf(journal, isPublic);
    const all = compared.flatMap((operation) =>
      readers.flatMap((reader) => readsOf(operation, reader, subjects, random)),
    );
    const changesNothing = all.filter((read) => !(read.operation.isWrite && concernsOwnComments(read)));
    // A small sample can miss a placeholder.
    const ofBlocked = changesNothing.filter(
      ({ operation, reader }) => operation.name === LIST_OF_COMMENTS && reader.name === 'the commenter',
    );
    const chosen = sample(changesNothing, READS_AT_ONCE, readers.slice(0, MAIN_READERS), random);
    return [...new Set([...chosen, ...sample(ofBlocked, 5, [], random)])];
  }

  /** To moderators, private texts are as unknown ones, and the queue has nothing of them. */
  async function requireUnknownTo(
    moderator: Reader & { token: string },
    random: SeededRandom,
    journal: PrivateJournal,
    texts: PrivateTexts,
    notInQueue: RegExp,
  ): Promise<void> {
    const compared = operations.filter(({ name }) => !(name in NOT_COMPARED) && ONLY.test(name));
    const pairs = moderatorReads(compared, moderator, journal, texts, random.integer(1, 1_000_000));
    const chosen = shuffled(pairs, random).slice(0, MODERATOR_READS);
    const queue = compared.filter(({ name, isWrite }) => /moderation/i.test(name) && !isWrite);
    const lists = queue.flatMap((operation) => readsOf(operation, moderator, subjectsOf(journal, false), random));
    const named = chosen.map(([read]) => read);
    const [found, expected, ofLists] = [
      await sendAll(app.url, named),
      await sendAll(
        app.url,
        chosen.map(([, unknown]) => unknown),
      ),
      await sendAll(app.url, lists),
    ];
    requireEqual('an unknown one', named, found.map(withoutIds), expected.map(withoutIds));
    lists.forEach((read, index) => {
      expect(ofLists[index]?.status, describeRead(read)).to.equal(200);
      expect(ofLists[index]?.body, describeRead(read)).to.not.match(notInQueue);
    });
    const { body } = await call(app.url, 'GET /api/moderation/queue?size=100', { token: moderator.token });
    expect(body?.data.pagination.totalElements).to.equal(body?.data.contents.length);
    count('reads of a moderator', named.length + lists.length);
  }

  interface State {
    readonly reads: readonly Read[];
    readonly copies: readonly Copy[];
    readonly outside: Readonly<Record<string, string>>;
  }

  async function remember(journal: PrivateJournal, reads: readonly Read[]): Promise<State> {
    await ageStamps(app.database);
    return { reads, copies: await readAll(journal, reads), outside: await readOutside(app, journal, smtp.messages) };
  }

  /** Reads of other readers. */
  function without(name: string, { reads, copies, outside }: State): State {
    const isOther = (_: unknown, index: number) => reads[index]?.reader.name !== name;
    const { [`the archive of ${name}`]: _, ...others } = outside;
    return { reads: reads.filter(isOther), copies: copies.filter(isOther), outside: others };
  }

  function requireMasked(journal: PrivateJournal, reads: readonly Read[], copies: readonly Copy[]): void {
    reads.forEach((read, index) => {
      const { body = '' } = copies[index] ?? {};
      // The feed of changes is that of anonymous readers, also with a token.
      const viewerId = FEEDS.includes(read.operation.name) ? 0 : read.reader.viewerId;
      expect(maskedIn(body, viewerId, journal), describeRead(read)).to.deep.equal([]);
      for (const placeholder of PLACEHOLDERS) count(placeholder, body.split(placeholder).length - 1);
    });
  }

  /** The responses to anonymous readers, which are cached, also come from an application with a response cache. */
  async function readAll(journal: PrivateJournal, reads: readonly Read[]): Promise<Copy[]> {
    const copies = await sendAll(app.url, reads);
    requireMasked(journal, reads, copies);
    const isOfNobody = (_: unknown, index: number) => reads[index]?.reader.token === undefined;
    const fromCache = await sendAll(cached.url, reads.filter(isOfNobody));
    requireEqual('without a response cache', reads.filter(isOfNobody), fromCache, copies.filter(isOfNobody));
    count('reads', reads.length + fromCache.length);
    return copies;
  }

  async function requireSame(change: string, state: State, journal: PrivateJournal, secrets: Secrets): Promise<void> {
    const { reads, copies, outside } = state;
    const now = await readAll(journal, reads);
    requireNoTrace(reads, now, secrets);
    requireEqual(`before ${change}`, reads, now, copies);
    expect(await readOutside(app, journal, smtp.messages), `before ${change}`).to.include(outside);
  }
});

function requireEqual(label: string, reads: readonly Read[], now: readonly Copy[], expected: readonly Copy[]): void {
  reads.forEach((read, index) => {
    if (concernsOwnComments(read)) return;
    const texts = [now[index], expected[index]].map((copy) => `${copy?.status}\n${copy?.headers}\n${copy?.body}`);
    expect(texts[0], `${describeRead(read)}, unlike ${label}`).to.equal(texts[1]);
  });
}
