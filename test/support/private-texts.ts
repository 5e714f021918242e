/**
 * A journal with public texts, an article that is public at first, and random writes of its author to private ones; and comments that wait for
 * approval on a public article of another member.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { SeededRandom } from '../hostile/seeded-random.js';
import type { TestApp } from './app.js';
import {
  type BuiltComment,
  type BuiltImage,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildImage,
  buildMember,
} from './build.js';
import { call, type RequestOptions } from './client.js';
import { timeIn } from './drafts.js';
import { buildHeldComment, edit, MANY_LINKS, setApproval } from './held.js';
import { addJobs, runJobs } from './jobs.js';
import { buildRecipient } from './mails.js';
import { remove as removeContent, restore } from './removal.js';
import { buildSeries } from './series.js';

/** Words that only private texts contain, and the first ids of what is private: no other reader may receive them. */
export const WORD = 'zgloam';
/** In comments that wait for approval, which moderators see. */
export const HELD_WORD = `${WORD}held`;
export const FIRST_IDS = { article: 7_310_001, comment: 7_410_001, draft: 7_510_001, notification: 7_610_001 };
/** Those of the articles that become private and are removed. */
export const WAVERING_WORD = 'zwaver';
export const WAVERING_IDS = { article: 6_310_001, comment: 6_410_001, draft: 6_510_001, notification: 6_610_001 };
/** In the comments of another member on them, which that member continues to see. */
export const COMMENTER_WORD = 'zmurmur';

const SEQUENCES = { article: 'all_articles', comment: 'comments', draft: 'drafts', notification: 'notifications' };

/** A comment with a word of its own, which some readers must not see. */
export interface MaskedComment {
  readonly word: string;
  readonly writerId: number;
  readonly articleAuthorId: number;
  isHidden: boolean;
  /** By a moderator. */
  isRemoved: boolean;
  isDeleted: boolean;
  /** Again, after an edit: it has kept its place. */
  isHeld: boolean;
}

/** The words of `MaskedComment`. */
export const MASKED_WORDS = /zmask\d+z/g;

interface CommentedArticle {
  readonly id: number;
  readonly commentIds: readonly number[];
}

export interface PrivateJournal {
  readonly author: BuiltMember;
  /** Has commented on the articles that become private and are removed. */
  readonly commenter: BuiltMember;
  /** Has never seen it. */
  readonly stranger: BuiltMember;
  readonly articles: readonly number[];
  readonly comments: readonly number[];
  readonly categories: readonly number[];
  /** Of the author, with public articles and those that become private and are removed. */
  readonly series: number;
  readonly seriesOfStranger: number;
  /** Hidden, removed, deleted and held ones, and those of the commenter and the stranger: the former blocks the latter. */
  readonly masked: readonly MaskedComment[];
  /** The article that becomes private. */
  readonly wavering: CommentedArticle;
  /** The article that a moderator removes. */
  readonly fading: CommentedArticle;
  /** These two do not read: the owner of a public article with comments that wait for approval, and the member who writes them and reports articles. */
  readonly host: BuiltMember;
  readonly guest: BuiltMember;
  readonly visited: { readonly id: number; readonly commentId: number };
  /** Of the author. */
  readonly image: BuiltImage;
  /** Of the stranger; private texts refer to it too. */
  readonly imageOfStranger: BuiltImage;
}

/** What the author has written in private. */
export interface PrivateTexts {
  articles: number[];
  /** Those that a moderator has removed. */
  removed: number[];
  /** Own comments on them. */
  comments: { id: number; articleId: number; parentId: number | null }[];
  drafts: number[];
  /** Comments that wait for approval. */
  held: BuiltComment[];
}

/** @param offset for rows after the first ones */
export async function setFirstIds({ database }: TestApp, ids: typeof FIRST_IDS, offset = 0): Promise<void> {
  for (const [kind, table] of Object.entries(SEQUENCES)) {
    const first = ids[kind as keyof typeof SEQUENCES] + offset;
    await database.sequelize.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${first}, false)`);
  }
}

/** Of the first public article. */
export const PUBLIC_SLUG = 'by-the-harbor';

export async function buildPublicTexts(app: TestApp, random: SeededRandom): Promise<PrivateJournal> {
  const { url } = app;
  const [author, commenter, stranger] = [await buildMember(url), await buildRecipient(app), await buildMember(url)];
  const setting = 'PUT /api/members/me/notification-settings/REPLY';
  await send(url, setting, { token: commenter.token, json: { email: 'AT_ONCE' } });
  for (const { token } of [author, commenter, stranger])
    await send(url, 'POST /api/categories', { token, json: { categoryName: 'Shelf' } });
  const [image, imageOfStranger] = [await buildImage(url, author), await buildImage(url, stranger)];
  const articles: number[] = [];
  const comments: number[] = [];
  const masked: MaskedComment[] = [];
  const write = async (articleId: number, to: BuiltMember, by: BuiltMember, parent: object = {}) => {
    const word = `zmask${masked.length}z`;
    const states = { isHidden: false, isRemoved: false, isDeleted: false, isHeld: false };
    masked.push({ word, writerId: by.id, articleAuthorId: to.id, ...states });
    return (await buildComment(url, articleId, { content: word, ...parent }, by)).id;
  };
  for (const writer of [author, author, commenter, stranger]) {
    const tags = ['sea', random.pick(['land', 'sky'])];
    const slug = articles.length === 0 ? { slug: PUBLIC_SLUG } : {};
    const language = `en-x-a${articles.length}`;
    const fields = {
      title: `By the lighthouse ${random.integer(1, 99)}`,
      content: 'A harbor.',
      tags,
      language,
      ...slug,
    };
    const { id } = await buildArticle(url, { ...fields, ...(random.chance(50) && { category: 'Shelf' }) }, writer);
    articles.push(id);
    const others = [author, commenter, stranger];
    for (const other of others) {
      const comment = await write(id, writer, other);
      const reply = await write(id, writer, random.pick([author, commenter]), { parentCommentId: comment });
      comments.push(comment, reply);
    }
    const hidden = random.integer(comments.length - 6, comments.length - 1);
    const found = masked[hidden];
    if (found) found.isHidden = true;
    await send(url, `PUT /api/comments/${comments[hidden]}/hidden`, { token: writer.token, json: { hidden: true } });
    // The first comment of all stays as it is. That of the stranger keeps its place.
    const [removed, deleted] = [random.integer(comments.length - 5, comments.length - 3), comments.length - 2];
    await removeContent(app, 'comment', comments[removed] ?? 0);
    await send(url, `DELETE /api/comments/${comments[deleted]}`, { token: stranger.token });
    for (const [index, state] of [[removed, { isRemoved: true }] as const, [deleted, { isDeleted: true }] as const])
      Object.assign(masked[index] ?? {}, state);
  }
  const [first = 0, second = 0] = articles;
  const heldAgain = await write(first, author, commenter);
  await write(first, author, author, { parentCommentId: heldAgain });
  const [held] = masked.slice(-2);
  const content = `${held?.word} ${MANY_LINKS}`;
  await send(url, `PATCH /api/comments/${heldAgain}`, { token: commenter.token, json: { content } });
  if (held) held.isHeld = true;
  const [host, guest] = [await buildMember(url), await buildMember(url)];
  const visited = await buildArticle(url, { title: 'By the lighthouse, too' }, host);
  const commentId = await write(visited.id, host, stranger);
  articles.push(visited.id);
  comments.push(commentId);
  for (const { token } of [commenter, stranger]) await send(url, `PUT /api/members/${author.id}/follow`, { token });
  await send(url, `PUT /api/members/${stranger.id}/block`, { token: commenter.token });
  await setFirstIds(app, WAVERING_IDS);
  const wavering = await buildWavering(url, { author, commenter, guest, image });
  const fading = await buildWavering(url, { author, commenter, guest, image });
  for (const { id: articleId } of [wavering, fading]) {
    await reactTo(url, articleId, author, [author, commenter]);
    await send(url, 'POST /api/reports', { token: guest.token, json: { articleId, reason: 'OTHER' } });
  }
  await runJobs(app);
  await setFirstIds(app, FIRST_IDS);
  const shelves = await call(url, 'GET /api/categories', { token: author.token });
  const categories = shelves.body?.data.contents.map(({ id }: { id: number }) => id);
  const series = await buildSeries(url, author, [{ id: first }, wavering, fading, { id: second }]);
  const seriesOfStranger = await buildSeries(url, stranger);
  const members = { author, commenter, stranger, host, guest };
  const places = { series, seriesOfStranger, wavering, fading, visited: { id: visited.id, commentId } };
  return { ...members, ...places, articles, comments, masked, categories, image, imageOfStranger };
}

const mention = ({ nickname }: BuiltMember): string => `@[${nickname}]`;

/** Likes and bookmarks, and so notifications, from before the article becomes private. */
async function reactTo(url: string, id: number, author: BuiltMember, readers: readonly BuiltMember[]): Promise<void> {
  await send(url, 'PUT /api/members/me/notification-settings/LIKE', { token: author.token, json: { enabled: true } });
  for (const { token } of readers)
    for (const reaction of ['like', 'bookmark']) await send(url, `PUT /api/articles/${id}/${reaction}`, { token });
}

async function buildWavering(
  url: string,
  { author, commenter, guest, image }: Pick<PrivateJournal, 'author' | 'commenter' | 'guest' | 'image'>,
): Promise<CommentedArticle> {
  const fields = {
    title: `${WAVERING_WORD}title`,
    content: `The ${WAVERING_WORD}content for ${mention(commenter)}. ![${WAVERING_WORD}alt](${image.url})`,
    tags: ['sea', `${WAVERING_WORD}tag`],
    category: 'Shelf',
    language: 'fr',
  };
  const { id } = await buildArticle(url, fields, author);
  const theirs = await buildComment(url, id, { content: `${COMMENTER_WORD} one` }, commenter);
  const content = `${WAVERING_WORD}comment`;
  const reply = await buildComment(url, id, { content, parentCommentId: theirs.id }, author);
  const own = await buildComment(url, id, { content }, author);
  const answer = await buildComment(url, id, { content: `${COMMENTER_WORD} two`, parentCommentId: own.id }, commenter);
  await send(url, `PUT /api/comments/${answer.id}/hidden`, { token: author.token, json: { hidden: true } });
  const held = await buildHeldComment(url, id, { content: `${WAVERING_WORD}held ${MANY_LINKS}` }, guest);
  return { id, commentIds: [theirs.id, reply.id, own.id, answer.id, held.id] };
}

/** A reply to the commenter on the wavering article: a notification, and a job for an email about it. */
export async function replyToCommenter(url: string, { author, wavering }: PrivateJournal): Promise<void> {
  const [parentCommentId = 0] = wavering.commentIds;
  await buildComment(url, wavering.id, { content: `${WAVERING_WORD}reply`, parentCommentId }, author);
}

/** A comment of the commenter, or its repetition, whose stored response shows the article. */
export async function commentWithKey(url: string, { commenter, wavering }: PrivateJournal): Promise<string> {
  const query = `mutation ($input: CreateCommentInput!) {
    createComment(input: $input) { content article { title content tags commentCount } }
  }`;
  const json = { query, variables: { input: { articleId: String(wavering.id), content: `${COMMENTER_WORD} three` } } };
  const headers = { 'Idempotency-Key': `"${wavering.id}"` };
  const { status, body } = await call(url, 'POST /graphql', { token: commenter.token, json, headers });
  return `${status} ${JSON.stringify(body)}`;
}

interface WriteContext {
  readonly app: TestApp;
  readonly url: string;
  readonly random: SeededRandom;
  readonly journal: PrivateJournal;
  readonly texts: PrivateTexts;
}

/** Writes that only the author sees, and comments that wait for approval. @returns whether something was written */
export const PRIVATE_WRITES: Readonly<Record<string, (context: WriteContext) => Promise<boolean>>> = {
  // The first one: the first ids of comments are those of held ones, and then of those on private articles.
  'hold a comment': async ({ url, journal, texts, random }) => {
    const { id, commentId } = journal.visited;
    const parent = random.chance(50) ? { parentCommentId: commentId } : {};
    const content = `${HELD_WORD}comment for ${mention(journal.commenter)} ${MANY_LINKS}`;
    texts.held.push(await buildHeldComment(url, id, { content, ...parent }, journal.guest));
    return true;
  },
  'write an article': async (context) => {
    const { url, journal, texts } = context;
    const { body } = await send(url, 'POST /api/articles', {
      token: journal.author.token,
      json: { ...fieldsOf(context), visibility: 'PRIVATE' },
    });
    texts.articles.push(body?.data.id);
    return true;
  },
  'edit an article': async (context) => {
    const { url, journal, texts, random } = context;
    if (texts.articles.length === 0) return false;
    const id = random.pick(texts.articles);
    await send(url, `PUT /api/articles/${id}`, { token: journal.author.token, json: fieldsOf(context) });
    return true;
  },
  'edit an article over GraphQL': async (context) => {
    const { url, journal, texts, random } = context;
    if (texts.articles.length === 0) return false;
    const query = 'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { id } }';
    const variables = { id: random.pick(texts.articles), input: fieldsOf(context) };
    await send(url, 'POST /graphql', { token: journal.author.token, json: { query, variables } });
    return true;
  },
  'make an article the translation of another one, or of none': async ({ url, journal, texts, random }) => {
    const own = texts.articles.filter((id) => id !== journal.wavering.id && id !== journal.fading.id);
    if (own.length === 0) return false;
    const id = random.pick(own);
    const others = [journal.articles[0], journal.articles[1], ...own].filter((other) => other !== id);
    const json = {
      title: `${WORD}title`,
      content: `The ${WORD}content.`,
      language: `ko-x-${WORD}-${id}`,
      translationOf: random.chance(80) ? random.pick(others) : 0,
    };
    const { status } = await call(url, `PUT /api/articles/${id}`, { token: journal.author.token, json });
    // The other one may have no language.
    expect(status).to.be.oneOf([200, 400]);
    return status === 200;
  },
  'append articles to a series, and remove others': async ({ url, journal, texts, random }) => {
    const { token } = journal.author;
    const { body } = await send(url, 'GET /api/series', { token });
    const [series] = body?.data.contents ?? [];
    const isOwn = (id: number) => id !== journal.wavering.id && texts.articles.includes(id);
    const kept = series.articleIds.filter((id: number) => !isOwn(id) || random.chance(60));
    const added = texts.articles.filter((id) => !kept.includes(id) && random.chance(50));
    const json = { title: series.title, articleIds: [...kept, ...added] };
    await send(url, `PUT /api/series/${journal.series}`, { token, json });
    return true;
  },
  'write a comment': async ({ url, journal, texts, random }) => {
    if (texts.articles.length === 0) return false;
    const articleId = random.pick(texts.articles);
    const content = `${WORD}comment for ${mention(journal.commenter)}`;
    const { id } = await buildComment(url, articleId, { content }, journal.author);
    texts.comments.push({ id, articleId, parentId: null });
    return true;
  },
  'write a reply': async ({ url, journal, texts, random }) => {
    const parents = texts.comments.filter(({ parentId }) => parentId === null);
    if (parents.length === 0) return false;
    const { id: parentCommentId, articleId } = random.pick(parents);
    const input = { content: `${WORD}comment`, parentCommentId };
    const { id } = await buildComment(url, articleId, input, journal.author);
    texts.comments.push({ id, articleId, parentId: parentCommentId });
    return true;
  },
  'reply to another member': async ({ url, journal, texts }) => {
    const { id: articleId, commentIds } = journal.wavering;
    if (!texts.articles.includes(articleId)) return false;
    const [parentCommentId = 0] = commentIds;
    const { id } = await buildComment(url, articleId, { content: `${WORD}comment`, parentCommentId }, journal.author);
    texts.comments.push({ id, articleId, parentId: parentCommentId });
    return true;
  },
  'edit a comment': async ({ url, journal, texts, random }) => {
    if (texts.comments.length === 0) return false;
    const json = { content: `${WORD}comment again` };
    await send(url, `PATCH /api/comments/${random.pick(texts.comments).id}`, { token: journal.author.token, json });
    return true;
  },
  'delete a comment': async ({ url, journal, texts, random }) => {
    if (texts.comments.length < 3) return false;
    const comment = random.pick(texts.comments);
    texts.comments = texts.comments.filter((one) => one !== comment);
    await send(url, `DELETE /api/comments/${comment.id}`, { token: journal.author.token });
    return true;
  },
  'edit a comment that is held': async ({ url, texts, random }) => {
    if (texts.held.length === 0) return false;
    const { body } = await edit(url, random.pick(texts.held), `${HELD_WORD}comment again ${MANY_LINKS}`);
    expect(body?.data.held).to.equal(true);
    return true;
  },
  'delete a comment that is held': async ({ url, journal, texts, random }) => {
    if (texts.held.length < 3) return false;
    const comment = random.pick(texts.held);
    texts.held = texts.held.filter((one) => one !== comment);
    expect((await setApproval(url, comment.id, false, journal.host)).status).to.equal(200);
    return true;
  },
  'like and bookmark an article, or end that': async ({ url, journal, texts, random }) => {
    if (texts.articles.length === 0) return false;
    const path = `/api/articles/${random.pick(texts.articles)}/${random.pick(['like', 'bookmark'])}`;
    await send(url, `${random.pick(['PUT', 'DELETE'])} ${path}`, { token: journal.author.token });
    return true;
  },
  'request a summary': async ({ url, journal, texts, random }) => {
    if (texts.articles.length === 0) return false;
    await send(url, `POST /api/articles/${random.pick(texts.articles)}/summary`, { token: journal.author.token });
    return true;
  },
  'write two drafts': async (context) => {
    const { url, journal, texts } = context;
    for (const image of [{}, { imageId: journal.image.id }]) {
      const json = { ...fieldsOf(context), ...image };
      const { body } = await send(url, 'POST /api/drafts', { token: journal.author.token, json });
      texts.drafts.push(body?.data.id);
    }
    return true;
  },
  'start a draft of an article': async ({ url, journal, texts, random }) => {
    const id = random.pick([...texts.articles, journal.wavering.id]);
    if (texts.removed.includes(id)) return false;
    const { body } = await send(url, `PUT /api/articles/${id}/draft`, { token: journal.author.token });
    if (!texts.drafts.includes(body?.data.id)) texts.drafts.push(body?.data.id);
    return true;
  },
  'save a draft': async (context) => {
    const { url, journal, texts, random } = context;
    if (texts.drafts.length === 0) return false;
    const id = random.pick(texts.drafts);
    await send(url, `PATCH /api/drafts/${id}`, { token: journal.author.token, json: fieldsOf(context) });
    return true;
  },
  'publish a draft': async (context) => {
    const { url, journal, texts } = context;
    const draft = await prepareDraft(context);
    if (!draft) return false;
    const { body } = await send(url, `POST /api/drafts/${draft.id}/publish`, { token: journal.author.token });
    addPublished(texts, draft, body?.data.id);
    return true;
  },
  'schedule a draft': async (context) => {
    const draft = await prepareDraft(context);
    if (draft) await scheduleDraft(context, draft);
    return draft !== null;
  },
  'publish a draft at its time': async (context) => {
    const { url, journal, texts } = context;
    const draft = await prepareDraft(context);
    if (!draft) return false;
    await scheduleDraft(context, draft);
    await runSchedule(context, draft);
    const { body } = await send(url, 'GET /api/notifications?size=1', { token: journal.author.token });
    addPublished(texts, draft, body?.data.contents[0].articleId);
    return true;
  },
  'fail to publish a draft at its time': async (context) => {
    const { url, journal } = context;
    const draft = await prepareDraft(context);
    if (!draft) return false;
    await scheduleDraft(context, draft);
    await send(url, `PATCH /api/drafts/${draft.id}`, { token: journal.author.token, json: { content: '' } });
    await runSchedule(context, draft);
    return true;
  },
  'share a draft': async ({ url, journal, texts, random }) => {
    if (texts.drafts.length === 0) return false;
    const id = random.pick(texts.drafts);
    const { body } = await send(url, `GET /api/drafts/${id}`, { token: journal.author.token });
    if (texts.removed.includes(body?.data.articleId)) return false;
    await send(url, `POST /api/drafts/${id}/share`, { token: journal.author.token, json: {} });
    return true;
  },
  'share an article': async ({ url, journal, texts, random }) => {
    if (texts.articles.length === 0) return false;
    await send(url, `POST /api/articles/${random.pick(texts.articles)}/share`, {
      token: journal.author.token,
      json: {},
    });
    return true;
  },
  'restore an earlier state of an article': async ({ url, journal, texts, random }) => {
    if (texts.articles.length === 0) return false;
    const revisions = `/api/articles/${random.pick(texts.articles)}/revisions`;
    const { body } = await send(url, `GET ${revisions}`, { token: journal.author.token });
    const [newest] = body?.data.contents ?? [];
    if (!newest) return false;
    await send(url, `POST ${revisions}/${newest.number}/restore`, { token: journal.author.token });
    return true;
  },
  'delete a draft': async ({ url, journal, texts, random }) => {
    const [, , ...others] = texts.drafts;
    if (others.length === 0) return false;
    const id = random.pick(others);
    texts.drafts = texts.drafts.filter((one) => one !== id);
    await send(url, `DELETE /api/drafts/${id}`, { token: journal.author.token });
    return true;
  },
  'remove an article as a moderator': async ({ app, journal, texts, random }) => {
    const own = texts.articles.filter((id) => id !== journal.wavering.id);
    if (own.length < 3) return false;
    await removeArticle(app, texts, random.pick(own));
    return true;
  },
  'restore a removed article': async ({ app, journal, texts, random }) => {
    const own = texts.removed.filter((id) => id !== journal.fading.id);
    if (own.length === 0) return false;
    const id = random.pick(own);
    expect(await restore(app, 'article', id)).to.equal(true);
    texts.removed = texts.removed.filter((one) => one !== id);
    texts.articles.push(id);
    return true;
  },
  'delete an article': async ({ url, journal, texts, random }) => {
    const own = texts.articles.filter((id) => id !== journal.wavering.id);
    if (own.length < 3) return false;
    await deleteArticle(url, journal, texts, random.pick(own));
    return true;
  },
};

interface PreparedDraft {
  readonly id: number;
  readonly articleId: number | null;
}

/** A draft that can be published, as a private article; null if there are few: the first two remain. */
async function prepareDraft(context: WriteContext): Promise<PreparedDraft | null> {
  const { url, journal, texts, random } = context;
  const { token } = journal.author;
  const [, , ...others] = texts.drafts;
  if (others.length === 0) return null;
  const id = random.pick(others);
  const articleId = (await send(url, `GET /api/drafts/${id}`, { token })).body?.data.articleId;
  if (texts.removed.includes(articleId)) return null;
  if (articleId === journal.wavering.id && !texts.articles.includes(articleId)) return null;
  const baseRevision = articleId && (await send(url, `GET /api/articles/${articleId}`, { token })).body?.data.revision;
  const json = { ...fieldsOf(context), visibility: 'PRIVATE', ...(articleId !== null && { baseRevision }) };
  await send(url, `PATCH /api/drafts/${id}`, { token, json });
  return { id, articleId };
}

async function scheduleDraft({ url, journal }: WriteContext, { id }: PreparedDraft): Promise<void> {
  await send(url, `PUT /api/drafts/${id}/schedule`, {
    token: journal.author.token,
    json: { publishAt: timeIn(3_600) },
  });
}

/** As if the time of the schedule had come. */
async function runSchedule({ app }: WriteContext, { id }: PreparedDraft): Promise<void> {
  await app.database.sequelize.query(`update drafts set publish_at = now() where id = ${id}`);
  await addJobs(app.database, 'publish-drafts', [{ draftId: id }]);
  await runJobs(app);
}

function addPublished(texts: PrivateTexts, draft: PreparedDraft, articleId: number): void {
  texts.drafts = texts.drafts.filter((id) => id !== draft.id);
  if (!texts.articles.includes(articleId)) texts.articles.push(articleId);
}

export async function removeArticle(app: TestApp, texts: PrivateTexts, id: number): Promise<void> {
  expect(await removeContent(app, 'article', id)).to.equal(true);
  texts.articles = texts.articles.filter((one) => one !== id);
  texts.removed.push(id);
}

export async function deleteArticle(
  url: string,
  { author }: PrivateJournal,
  texts: PrivateTexts,
  id: number,
): Promise<void> {
  await send(url, `DELETE /api/articles/${id}`, { token: author.token });
  for (const list of ['articles', 'removed'] as const) texts[list] = texts[list].filter((one) => one !== id);
  texts.comments = texts.comments.filter(({ articleId }) => articleId !== id);
}

export async function setVisibility(url: string, { author, wavering }: PrivateJournal, visibility: string) {
  const path = `/api/articles/${wavering.id}/visibility`;
  await send(url, `PUT ${path}`, { token: author.token, json: { visibility } });
}

function fieldsOf({ random, journal }: WriteContext): object {
  const images = [journal.image, journal.imageOfStranger].map(({ url }) => `![${WORD}alt](${url})`).join(' ');
  return {
    title: `${WORD}title ${random.integer(1, 99)}`,
    content: `The ${WORD}content ${random.integer(1, 99)} for ${mention(journal.commenter)}. ${images} It ends. It ends again.`,
    tags: [...(random.chance(70) ? ['sea'] : []), `${WORD}tag`],
    ...(random.chance(50) && { category: 'Shelf' }),
  };
}

const MAX_ATTEMPTS = 10;

/** Expects success. */
async function send(url: string, target: string, options: RequestOptions) {
  let response = await call(url, target, options);
  // On a busy machine, it can wait too long for its turn.
  for (let attempt = 1; response.status === 503 && attempt < MAX_ATTEMPTS; attempt++) {
    await delay(Number(response.headers.get('Retry-After')) * 1000);
    response = await call(url, target, options);
  }
  expect(response.status, `${target}: ${JSON.stringify(response.body)}`).to.be.below(300);
  expect(response.body, target).to.not.have.property('errors');
  return response;
}
