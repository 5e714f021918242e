/** Random writes of public data over REST and GraphQL, on objects that earlier writes have created. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { SeededRandom } from '../hostile/seeded-random.js';
import { type BuiltMember, buildMember } from './build.js';
import { flat } from './images.js';
import { filePart, multipart, requestPart } from './multipart.js';
import { LANGUAGES, TAGS, WORDS } from './public-reads.js';
import { send } from './request.js';

interface Owned {
  readonly id: number;
  readonly author: BuiltMember;
}

interface WrittenComment extends Owned {
  readonly articleId: number;
  readonly parentId: number | null;
}

/** What exists. */
export interface Written {
  members: BuiltMember[];
  articles: Owned[];
  comments: WrittenComment[];
  /** Categories, besides the default ones. */
  categories: (Owned & { readonly name: string })[];
  images: (Owned & { readonly url: string })[];
  series: Owned[];
}

export interface WriteContext {
  readonly random: SeededRandom;
  /** The service that executes the write. */
  readonly url: string;
  readonly written: Written;
  /** Receives each request, with its status. */
  readonly log: (line: string) => void;
}

/** @returns whether data was changed */
type Write = (context: WriteContext) => Promise<boolean>;

const MIN_MEMBERS = 3;

export const RANDOM_WRITES: Readonly<Record<string, Write>> = {
  'create an article': async (context) => {
    const { random, written } = context;
    const author = random.pick(written.members);
    const input = articleInput(context, author);
    const found = await either(context, author, `POST /api/articles`, input, [
      'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id } }',
      { input },
    ]);
    if (found) written.articles.push({ id: idIn(found), author });
    return found !== null;
  },
  'edit an article': (context) => editArticle(context, articleInput),
  'change the tags of an article': (context) =>
    editArticle(context, ({ random }) => ({ title: 'Tagged', content: 'Tagged', tags: tagsOf(random) })),
  'change the image of an article': async (context) => {
    const article = pick(context, context.written.articles);
    if (!article) return false;
    const json = { title: 'Pictured', content: 'By the lighthouse' };
    const parts = context.random.chance(60) ? await withImage(context, json) : { json: { ...json, removeImage: true } };
    return (await rest(context, article.author, `PUT /api/articles/${article.id}`, parts)) !== null;
  },
  'delete an article': async (context) => {
    const article = pick(context, context.written.articles);
    if (!article) return false;
    const { id, author } = article;
    const { written } = context;
    written.articles = written.articles.filter((one) => one !== article);
    written.comments = written.comments.filter(({ articleId }) => articleId !== id);
    return remove(context, author, `/api/articles/${id}`, 'deleteArticle', id);
  },
  'upload an image': async (context) => {
    const { random, written } = context;
    const author = random.pick(written.members);
    const png = await flat(random.pick([200, 400, 700]), 10)
      .png()
      .toBuffer();
    const found = await rest(context, author, 'POST /api/images', multipart([filePart(png)]));
    if (found) written.images.push({ ...(found as { id: number; url: string }), author });
    return found !== null;
  },
  'delete an image': async (context) => {
    const image = pick(context, context.written.images);
    if (!image) return false;
    const { id, author } = image;
    const isDeleted = await remove(context, author, `/api/images/${id}`, 'deleteImage', id);
    if (isDeleted) context.written.images = context.written.images.filter((one) => one !== image);
    return isDeleted;
  },
  'create a category': async (context) => {
    const { random, written } = context;
    const author = random.pick(written.members);
    const name = `Shelf ${random.integer(1, 40)}`;
    const found = await either(context, author, 'POST /api/categories', { categoryName: name }, [
      'mutation ($name: String!) { createCategory(name: $name) { id } }',
      { name },
    ]);
    if (found) written.categories.push({ id: idIn(found), author, name });
    return found !== null;
  },
  'rename a category': async (context) => {
    const { written } = context;
    const category = pick(context, written.categories);
    if (!category) return false;
    const { id, author } = category;
    const name = `Shelf ${context.random.integer(1, 40)}`;
    const found = await either(context, author, `PUT /api/categories/${id}`, { categoryName: name }, [
      'mutation ($id: ID!, $name: String!) { updateCategory(id: $id, name: $name) { id } }',
      { id, name },
    ]);
    if (found) written.categories = [...written.categories.filter((one) => one !== category), { id, author, name }];
    return found !== null;
  },
  'delete a category': async (context) => {
    const { written } = context;
    const category = pick(context, written.categories);
    if (!category) return false;
    written.categories = written.categories.filter((one) => one !== category);
    return remove(context, category.author, `/api/categories/${category.id}`, 'deleteCategory', category.id);
  },
  'create a series': async (context) => {
    const { random, written } = context;
    const author = random.pick(written.members);
    const input = seriesInput(context, author);
    const found = await either(context, author, 'POST /api/series', input, [
      'mutation ($input: SeriesInput!) { createSeries(input: $input) { id } }',
      { input },
    ]);
    if (found) written.series.push({ id: idIn(found), author });
    return found !== null;
  },
  'change a series': async (context) => {
    const series = pick(context, context.written.series);
    if (!series) return false;
    const { id, author } = series;
    const input = seriesInput(context, author);
    const found = await either(context, author, `PUT /api/series/${id}`, input, [
      'mutation ($id: ID!, $input: SeriesInput!) { updateSeries(id: $id, input: $input) { id } }',
      { id, input },
    ]);
    return found !== null;
  },
  'delete a series': async (context) => {
    const { written } = context;
    const series = pick(context, written.series);
    if (!series) return false;
    written.series = written.series.filter((one) => one !== series);
    return remove(context, series.author, `/api/series/${series.id}`, 'deleteSeries', series.id);
  },
  'change the visibility of an article': async (context) => {
    const article = pick(context, context.written.articles);
    if (!article) return false;
    const { id, author } = article;
    const visibility = context.random.chance(35) ? 'PRIVATE' : 'PUBLIC';
    const found = await either(context, author, `PUT /api/articles/${id}/visibility`, { visibility }, [
      'mutation ($id: ID!, $visibility: Visibility!) { setVisibility(articleId: $id, visibility: $visibility) { id } }',
      { id, visibility },
    ]);
    return found !== null;
  },
  'write a comment': async (context) => {
    const article = pick(context, context.written.articles);
    return article !== undefined && comment(context, article.id, null);
  },
  'write a reply': async (context) => {
    const parent = pick(
      context,
      context.written.comments.filter(({ parentId }) => parentId === null),
    );
    return parent !== undefined && comment(context, parent.articleId, parent.id);
  },
  'edit a comment': async (context) => {
    const chosen = pick(context, context.written.comments);
    if (!chosen) return false;
    const { id, author } = chosen;
    const content = textOf(context.random);
    const found = await either(context, author, `PATCH /api/comments/${id}`, { content }, [
      'mutation ($id: ID!, $content: String!) { updateComment(id: $id, content: $content) { id } }',
      { id, content },
    ]);
    return found !== null;
  },
  'hide a comment, or show it again': async (context) => {
    const { written, random } = context;
    const chosen = pick(context, written.comments);
    const article = written.articles.find(({ id }) => id === chosen?.articleId);
    if (!chosen || !article) return false;
    const { id } = chosen;
    const hidden = random.chance(65);
    const found = await either(context, article.author, `PUT /api/comments/${id}/hidden`, { hidden }, [
      'mutation ($id: ID!, $hidden: Boolean!) { setCommentHidden(id: $id, hidden: $hidden) { id } }',
      { id, hidden },
    ]);
    return found !== null;
  },
  'delete a comment': async (context) => deleteComment(context, pick(context, context.written.comments)),
  'delete a comment with replies, and then these': async (context) => {
    const { comments } = context.written;
    const parent = pick(
      context,
      comments.filter(({ id }) => comments.some(({ parentId }) => parentId === id)),
    );
    if (!parent) return false;
    if (!(await deleteComment(context, parent))) return false;
    if (context.random.chance(50)) return true;
    for (const reply of comments.filter(({ parentId }) => parentId === parent.id)) await deleteComment(context, reply);
    return true;
  },
  'change a nickname': (context) => editMember(context, () => ({ nickname: `name ${randomUUID().slice(0, 8)}` })),
  'change a biography': (context) => editMember(context, ({ random }) => ({ bio: textOf(random) })),
  'change a profile image': async (context) => {
    const member = context.random.pick(context.written.members);
    const parts = context.random.chance(60) ? await withImage(context, {}) : { json: { removeImage: true } };
    return (await rest(context, member, 'PATCH /api/members/me', parts)) !== null;
  },
  register: async (context) => {
    context.log(`register at ${context.url}`);
    context.written.members.push(await buildMember(context.url));
    return true;
  },
  withdraw: async (context) => {
    const { random, written } = context;
    if (written.members.length <= MIN_MEMBERS) return false;
    const member = random.pick(written.members);
    const { password } = member;
    const found = await either(context, member, 'DELETE /api/members/me', { password }, [
      'mutation ($password: String) { withdraw(password: $password) { id } }',
      { password },
    ]);
    if (!found) return false;
    written.members = written.members.filter((one) => one !== member);
    written.categories = written.categories.filter(({ author }) => author !== member);
    written.articles = written.articles.filter(({ author }) => author !== member);
    written.images = written.images.filter(({ author }) => author !== member);
    written.series = written.series.filter(({ author }) => author !== member);
    const ids = new Set(written.articles.map(({ id }) => id));
    written.comments = written.comments.filter(({ author, articleId }) => author !== member && ids.has(articleId));
    return true;
  },
  'like an article, or end that': async (context) => {
    const article = pick(context, context.written.articles);
    return (
      article !== undefined &&
      react(context, `/api/articles/${article.id}/like`, ['likeArticle', 'unlikeArticle'], {
        articleId: article.id,
      })
    );
  },
  'bookmark an article, or end that': async (context) => {
    const article = pick(context, context.written.articles);
    const fields = ['bookmarkArticle', 'removeBookmark'] as const;
    return (
      article !== undefined && react(context, `/api/articles/${article.id}/bookmark`, fields, { articleId: article.id })
    );
  },
  'follow a member, or end that': async (context) => {
    const { id } = context.random.pick(context.written.members);
    return react(context, `/api/members/${id}/follow`, ['followMember', 'unfollowMember'], { memberId: id });
  },
  'request a summary': async (context) => {
    const article = pick(context, context.written.articles);
    if (!article) return false;
    const { id, author } = article;
    const found = await either(context, author, `POST /api/articles/${id}/summary`, undefined, [
      'mutation ($id: ID!) { requestSummary(articleId: $id) { id } }',
      { id },
    ]);
    return found !== null;
  },
};

function pick<Item>({ random }: WriteContext, items: readonly Item[]): Item | undefined {
  return items.length > 0 ? random.pick(items) : undefined;
}

function textOf(random: SeededRandom): string {
  return `${random.pick(WORDS)} ${random.integer(1, 1000)}`;
}

function tagsOf(random: SeededRandom): string[] {
  return TAGS.filter(() => random.chance(40));
}

function articleInput(context: WriteContext, author: BuiltMember): object {
  const { random, written } = context;
  const image = random.chance(40) ? pick(context, written.images) : undefined;
  const own = written.categories.filter((category) => category.author === author);
  const ownArticles = written.articles.filter((article) => article.author === author);
  return {
    title: textOf(random),
    content: `# ${textOf(random)}\n\nBy the ${textOf(random)}. It is late. The light turns.${image ? ` ![](${image.url})` : ''}`,
    ...(own.length > 0 && random.chance(50) && { category: random.pick(own).name }),
    ...(random.chance(60) && { tags: tagsOf(random) }),
    ...(random.chance(70) && { language: random.pick([...LANGUAGES, '']) }),
    ...(random.chance(50) && { translationOf: random.chance(20) ? 0 : (pick(context, ownArticles)?.id ?? 0) }),
  };
}

function seriesInput({ random, written }: WriteContext, author: BuiltMember): object {
  const own = written.articles.filter((article) => article.author === author && random.chance(70));
  return {
    title: `Series ${random.integer(1, 40)}`,
    ...(random.chance(50) && { description: textOf(random) }),
    ...(random.chance(80) && { articleIds: own.map(({ id }) => id).sort(() => random.integer(0, 1) - 0.5) }),
  };
}

async function editArticle(context: WriteContext, make: typeof articleInput): Promise<boolean> {
  const article = pick(context, context.written.articles);
  if (!article) return false;
  const { id, author } = article;
  const input = make(context, author);
  const found = await either(context, author, `PUT /api/articles/${id}`, input, [
    'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { id } }',
    { id, input },
  ]);
  return found !== null;
}

async function editMember(context: WriteContext, make: (context: WriteContext) => object): Promise<boolean> {
  const input = make(context);
  const member = context.random.pick(context.written.members);
  const mutation = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
  return (await either(context, member, 'PATCH /api/members/me', input, [mutation, { input }])) !== null;
}

async function comment(context: WriteContext, articleId: number, parentId: number | null): Promise<boolean> {
  const { random, written } = context;
  const author = random.pick(written.members);
  const content = textOf(random);
  const json = { content, ...(parentId !== null && { parentCommentId: parentId }) };
  const found = await either(context, author, `POST /api/articles/${articleId}/comments`, json, [
    'mutation ($input: CreateCommentInput!) { createComment(input: $input) { id } }',
    { input: { articleId, parentId, content } },
  ]);
  if (found) written.comments.push({ id: idIn(found), articleId, parentId, author });
  return found !== null;
}

/** A change by any member. @param fields of mutations: to begin, and to end */
async function react(
  context: WriteContext,
  path: string,
  [begin, end]: readonly [string, string],
  ids: { articleId: number } | { memberId: number },
): Promise<boolean> {
  const { random, written } = context;
  const member = random.pick(written.members);
  const begins = random.chance(65);
  const [name = ''] = Object.keys(ids);
  const field = begins ? begin : end;
  const mutation = `mutation ($${name}: ID!) { ${field}(${name}: $${name}) { ${name} } }`;
  return (await either(context, member, `${begins ? 'PUT' : 'DELETE'} ${path}`, undefined, [mutation, ids])) !== null;
}

async function deleteComment(context: WriteContext, chosen: WrittenComment | undefined): Promise<boolean> {
  if (!chosen) return false;
  const { id, author } = chosen;
  context.written.comments = context.written.comments.filter((one) => one !== chosen);
  return remove(context, author, `/api/comments/${id}`, 'deleteComment', id);
}

async function remove(context: WriteContext, author: BuiltMember, path: string, field: string, id: number) {
  const mutation = `mutation ($id: ID!) { ${field}(id: $id) { id } }`;
  return (await either(context, author, `DELETE ${path}`, undefined, [mutation, { id }])) !== null;
}

async function withImage({ random }: WriteContext, json: object) {
  const png = await flat(random.pick([4, 400]), 4, random.pick(['#ff0000', '#00ff00', '#0000ff']))
    .png()
    .toBuffer();
  return multipart([requestPart(json), filePart(png)]);
}

/** Over one of the two APIs. @returns the data of the response; null if the write was rejected */
function either(
  context: WriteContext,
  member: BuiltMember,
  target: string,
  json: unknown,
  [query, variables]: [string, object],
): Promise<object | null> {
  if (context.random.chance(50)) return rest(context, member, target, { json });
  return rest(context, member, 'POST /graphql', { json: { query, variables } });
}

interface Body {
  readonly json?: unknown;
  readonly body?: Buffer;
  readonly headers?: Record<string, string>;
}

async function rest(
  { url, log }: WriteContext,
  { token }: BuiltMember,
  target: string,
  { json, body, headers }: Body,
): Promise<object | null> {
  const [method = '', path = ''] = target.split(' ');
  const text = json === undefined ? undefined : JSON.stringify(json);
  const type = text === undefined ? headers : { 'Content-Type': 'application/json' };
  const sent = { Authorization: `Bearer ${token}`, ...type };
  const { status, text: received } = await send(url + path, method, sent, text ?? body ?? null);
  log(`${target} ${text ?? (body ? '(with an image)' : '')} at ${url}: ${status}`);
  expect(status, `${target} ${text}: ${received}`).to.be.oneOf([200, 201, 202, 204, 400, 401, 403, 404, 409]);
  const { data, errors } = JSON.parse(received || '{"data":{}}');
  return status < 300 && !errors && typeof data === 'object' ? data : null;
}

/** Of the object that was created: `data` over REST, the only field of `data` over GraphQL. */
function idIn(data: object): number {
  const own = 'id' in data ? data : Object.values(data)[0];
  return Number(own.id);
}
