/** Readers of a journal with private texts, what they may refer to, and what must not reach them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SCOPE_NAMES, type Scope } from '../../src/models/session/api-token.js';
import { randomFrom } from '../hostile/seeded-random.js';
import { buildApiToken } from './api-tokens.js';
import type { TestApp } from './app.js';
import type { BuiltMember } from './build.js';
import { call } from './client.js';
import { type Copy, describeRead, type Read, type Reader, readsOf, type Subjects } from './compared-reads.js';
import { runExport, unzip } from './exported.js';
import { makeFolder } from './folder.js';
import { FOLLOWERS, type LiveClient } from './live.js';
import type { Operation } from './operations.js';
import {
  FIRST_IDS,
  MASKED_WORDS,
  type PrivateJournal,
  type PrivateTexts,
  PUBLIC_SLUG,
  WAVERING_WORD,
  WORD,
} from './private-texts.js';
import type { ReceivedMail } from './smtp.js';

/** What responses must not contain. */
export interface Secrets {
  readonly words: RegExp;
  /** Those that the lists of the commenter's own comments must not contain either. */
  readonly wordsOfAuthor: RegExp;
  readonly ids: RegExp;
}

/** Scopes that do not permit to read private texts. */
const OTHER_SCOPES: readonly Scope[] = ['comments', 'images', 'notifications', 'ai'];

/** They list or delete what their reader has written, also on articles that are private. */
const OWN_COMMENTS = [
  ...['GET /api/comments/me', 'Query.myComments', 'Query.myCommentConnection'],
  ...['DELETE /api/comments/{commentId}', 'Mutation.deleteComment'],
];

const [AUTHOR_TOKEN, COMMENTER] = ['an API token of the author', 'the commenter'];

/** @param moderator reads with an API token here, which has no role */
export async function buildReaders(
  { url }: TestApp,
  { author, commenter, stranger }: PrivateJournal,
  moderator: BuiltMember,
): Promise<Reader[]> {
  const tokenOf = async (name: string, member: BuiltMember, scopes: readonly Scope[]): Promise<Reader> => {
    const viewerId = scopes.includes('comments') ? member.id : 0;
    return { name, token: (await buildApiToken(url, member, scopes)).token, viewerId, scopes: new Set(scopes) };
  };
  const single = (scope: Scope) => tokenOf(`${AUTHOR_TOKEN} with ${scope}`, author, [scope]);
  return [
    { name: 'anonymous', viewerId: 0, scopes: null },
    { name: 'another member', token: stranger.token, viewerId: stranger.id, scopes: null },
    { name: COMMENTER, token: commenter.token, viewerId: commenter.id, scopes: null },
    await tokenOf(AUTHOR_TOKEN, author, OTHER_SCOPES),
    await tokenOf('an API token of a moderator', moderator, ['read', 'articles', 'comments']),
    ...(await Promise.all(OTHER_SCOPES.map(single))),
    ...(await Promise.all(SCOPE_NAMES.map((scope) => tokenOf(`an API token with ${scope}`, stranger, [scope])))),
  ];
}

/** @param isPublic whether the articles that become private and are removed are public */
export function subjectsOf(journal: PrivateJournal, isPublic: boolean): Subjects {
  const { articles, comments, author, stranger, categories, wavering, fading } = journal;
  const ended = { articles: [wavering.id, fading.id], comments: [...wavering.commentIds, ...fading.commentIds] };
  const next = (first: number) => [first, first + 1];
  return {
    known: {
      article: isPublic ? [articles[0], ...ended.articles] : [articles[0]],
      comment: isPublic ? [comments[0], ...ended.comments] : [comments[0]],
      draft: [],
      notification: [],
      image: [],
      slug: [PUBLIC_SLUG],
      shareToken: [],
      member: [author.id, stranger.id],
      nickname: [author.nickname],
      category: categories,
      series: [journal.seriesOfStranger, journal.series],
      tag: ['sea'],
      keyword: ['lighthouse'],
    },
    hidden: {
      article: [...next(FIRST_IDS.article), ...(isPublic ? [] : ended.articles)],
      comment: [...next(FIRST_IDS.comment), FIRST_IDS.comment + 2, ...(isPublic ? [] : ended.comments)],
      draft: next(FIRST_IDS.draft),
      notification: next(FIRST_IDS.notification),
      slug: [`${WORD}title`, `${WAVERING_WORD}title`],
      shareToken: ['A'.repeat(43)],
      tag: [`${WORD}tag`, `${WAVERING_WORD}tag`],
      keyword: [`${WORD}title`, `${WORD}content`, `${WAVERING_WORD}tag`],
    },
  };
}

/** Whether it concerns the comments of its reader, some of which are on private articles. */
export function concernsOwnComments({ operation, reader }: Pick<Read, 'operation' | 'reader'>): boolean {
  return OWN_COMMENTS.includes(operation.name) && (reader.name === COMMENTER || reader.name.startsWith(AUTHOR_TOKEN));
}

/** Streams of all readers who may open one. */
export async function openStreams(url: string, readers: readonly Reader[]) {
  const streams: { name: string; client: LiveClient }[] = [];
  for (const { name, token, scopes } of readers) {
    if (token === undefined || scopes?.has('notifications') === false) continue;
    for (const follow of Object.values(FOLLOWERS)) streams.push({ name, client: await follow(url, token) });
  }
  return {
    /** @param expected numbers of notifications since the beginning; others: 0 */
    receive: async (expected: Readonly<Record<string, number>>) => {
      for (const { name, client } of streams) {
        const number = Object.entries(expected).find(([start]) => name.startsWith(start))?.[1] ?? 0;
        expect(await client.count(number), name).to.have.length(number);
      }
    },
  };
}

/** What others read without the APIs, by name. */
export async function readOutside(
  app: TestApp,
  { author, commenter, stranger }: PrivateJournal,
  mails: readonly ReceivedMail[],
): Promise<Record<string, string>> {
  const toOthers = mails.filter(({ to }) => !to.includes(author.email));
  return {
    'the public export': (await runExport(app)).stdout,
    'the Markdown export': await markdownExport(app),
    'the archive of the commenter': await archiveOf(app, commenter),
    'the archive of another member': await archiveOf(app, stranger),
    emails: toOthers.map(({ to, text }) => `${to}: ${text}`).join('\n'),
  };
}

async function markdownExport(app: TestApp): Promise<string> {
  const folder = join(await makeFolder(), 'texts');
  await runExport(app, '--markdown', folder);
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:md|json)$/.test(name)).sort();
  const files = await Promise.all(names.map(async (name) => `${name} ${await readFile(join(folder, name), 'utf8')}`));
  return files.join('\n');
}

async function archiveOf(app: TestApp, { id }: Pick<BuiltMember, 'id'>): Promise<string> {
  const path = join(await makeFolder(), 'archive.zip');
  await runExport(app, '--member', String(id), '--output', path);
  // The README contains the time.
  const files = [...(await unzip(path))].filter(([name]) => !/README|tokens|sessions/.test(name));
  return files.map(([name, bytes]) => `${name} ${bytes}`).join('\n');
}

/** The responses to views are always the same. */
const ALWAYS_SUCCESSFUL = /\/views$|recordView$/;

/** Each write names something unknown, and is rejected for no other reason. */
export function requireUnknown(reads: readonly Read[], copies: readonly Copy[]): void {
  reads.forEach((read, index) => {
    const { isWrite, name } = read.operation;
    if (!isWrite || read.reader.token === undefined || ALWAYS_SUCCESSFUL.test(name)) return;
    // An edit of an article of another member, which is public, names a private one only as its translation.
    const request = `${read.path} ${read.body}`;
    const others = request.replace(/"translationOf":"?\d+/, '');
    const isPublic = others !== request && !/\b7\d{6}\b/.test(others);
    // A series of another member, which is public.
    const expected = /_NOT_FOUND|SERIES_FORBIDDEN|ROLE_MISSING/;
    expect(copies[index]?.body, describeRead(read)).to.match(isPublic ? /_NOT_FOUND|ARTICLE_FORBIDDEN/ : expected);
  });
}

/** A response contains a secret only if its request does, or if it lists the reader's own comments. */
export function requireNoTrace(reads: readonly Read[], copies: readonly Copy[], secrets: Secrets): void {
  const { words, wordsOfAuthor, ids } = secrets;
  reads.forEach((read, index) => {
    const { path, body } = read;
    const request = `${decodeURIComponent(path)} ${body}`;
    const response = `${copies[index]?.headers}\n${copies[index]?.body}`;
    if (!words.test(request) && !concernsOwnComments(read)) expect(response, describeRead(read)).to.not.match(words);
    if (!ids.test(request) && !concernsOwnComments(read)) expect(response, describeRead(read)).to.not.match(ids);
    if (!concernsOwnComments(read)) return;
    expect(response, describeRead(read)).to.not.match(read.reader.name === COMMENTER ? wordsOfAuthor : TITLES);
  });
}

/** Ids that no text has. */
const UNKNOWN_IDS = { article: 9_310_001, comment: 9_410_001, draft: 9_510_001 };

/** Requests that name a private text that was never reported, each with the same one that names an unknown text. */
export function moderatorReads(
  operations: readonly Operation[],
  moderator: Reader,
  journal: PrivateJournal,
  { articles, comments, drafts }: PrivateTexts,
  seed: number,
): [Read, Read][] {
  const random = randomFrom(seed);
  const article = random.pick(articles.filter((id) => id !== journal.wavering.id));
  const comment = comments.find(({ articleId }) => articles.includes(articleId))?.id ?? UNKNOWN_IDS.comment;
  const ids = { article, comment, draft: random.pick(drafts) };
  const { known } = subjectsOf(journal, false);
  const readsWith = (hidden: typeof ids) => {
    const subjects = { known, hidden: { article: [hidden.article], comment: [hidden.comment], draft: [hidden.draft] } };
    const reads = operations.flatMap((operation) => readsOf(operation, moderator, subjects, randomFrom(seed)));
    return reads.filter(({ path, body }) => Object.values(hidden).some((id) => `${path} ${body}`.includes(`${id}`)));
  };
  const unknown = readsWith(UNKNOWN_IDS);
  return readsWith(ids).map((read, index) => [read, unknown[index] ?? read]);
}

/** Without the ids of articles, comments and drafts. */
export const withoutIds = ({ status, headers, body }: Copy): Copy => ({
  status,
  headers: headers.replaceAll(ANY_ID, 'ID'),
  body: body.replaceAll(ANY_ID, 'ID'),
});

const ANY_ID = /\b[79][345]10\d{3}\b/g;

/** The words in a text that a member, or an anonymous reader, must not see. */
export function maskedIn(text: string, viewerId: number, { masked, commenter, stranger }: PrivateJournal): string[] {
  const pair = [commenter.id, stranger.id];
  return [...new Set(text.match(MASKED_WORDS) ?? [])].filter((word) => {
    const found = masked.find((one) => one.word === word);
    const { writerId = 0, articleAuthorId, isHidden, isRemoved, isDeleted, isHeld } = found ?? {};
    if (isDeleted) return true;
    if (viewerId === writerId) return false;
    if (isHeld && viewerId !== articleAuthorId) return true;
    return (
      isRemoved || (isHidden && viewerId !== articleAuthorId) || (pair.includes(viewerId) && pair.includes(writerId))
    );
  });
}

const TITLES = new RegExp(`${WORD}title`, 'i');

/** The author sees all of it, and who may see the held comments those. */
export async function readOwn(
  app: TestApp,
  journal: PrivateJournal,
  { articles, removed, comments, drafts, held }: PrivateTexts,
) {
  const { author, host, guest } = journal;
  const read = async (target: string, { token } = author) => {
    const { status, body } = await call(app.url, target, { token });
    expect(status, target).to.equal(200);
    return body?.data;
  };
  for (const id of [...articles, ...removed]) {
    const { visibility, removedAt } = await read(`GET /api/articles/${id}`);
    expect([visibility, removedAt !== null]).to.deep.equal(['PRIVATE', removed.includes(id)]);
    const { contents } = await read('GET /api/articles/me?size=100&visibility=PRIVATE&keyword=tag');
    expect(contents.map((one: { id: number }) => one.id)).to.include(id);
  }
  for (const { id } of comments) expect((await read(`GET /api/comments/${id}`)).content).to.include(WORD);
  for (const id of drafts) expect((await read(`GET /api/drafts/${id}`)).title).to.include('title');
  expect((await read('GET /api/drafts')).pagination.totalElements).to.equal(drafts.length);
  const { pagination } = await read('GET /api/articles/me?visibility=PRIVATE');
  expect(pagination.totalElements).to.equal(articles.length + removed.length);
  for (const { id } of held)
    for (const member of [host, guest])
      expect((await read(`GET /api/comments/${id}`, member)).content).to.include(WORD);
  const waiting = await read('GET /api/comments/me/received?held=true', host);
  expect(waiting.pagination.totalElements).to.equal(held.length);
  if (articles.length > 0) expect(await archiveOf(app, author)).to.include(`"id": ${articles[0]}`);
}
