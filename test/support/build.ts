/** Creates members, articles and comments through the API, made unique by a counter. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { call, type RequestOptions, type RestResponse } from './client.js';
import { openSessionDirectly, registerDirectly } from './direct-member.js';
import { flat } from './images.js';
import { filePart, multipart } from './multipart.js';

let count = 0;

const MAX_ATTEMPTS = 10;

/** Repeats a request as clients do: on a busy machine, it can wait too long for its turn. @param status expected; absent: any other than 503 */
async function send(url: string, target: string, options: RequestOptions, status?: number): Promise<RestResponse> {
  let response = await call(url, target, options);
  for (let attempt = 1; response.status === 503 && attempt < MAX_ATTEMPTS; attempt++) {
    await delay(Number(response.headers.get('Retry-After')) * 1000);
    response = await call(url, target, options);
  }
  if (status === undefined ? response.status === 503 : response.status !== status)
    expect.fail(`${target}: ${response.status} ${JSON.stringify(response.body)}`);
  return response;
}

export interface BuiltMember {
  id: number;
  email: string;
  password: string;
  nickname: string;
  token: string;
  refreshToken: string;
}

/** A member who is logged in. */
export async function buildMember(url: string, overrides: Record<string, string> = {}): Promise<BuiltMember> {
  count++;
  const json = {
    email: `member${count}@example.org`,
    password: `a password of ${count}`,
    memberName: `Member ${count}`,
    ...overrides,
  };
  const { email, password } = json;
  // Only a request validates other values.
  const isPlain = Object.keys(overrides).length === 0;
  const account = isPlain ? await registerDirectly(url, json) : null;
  const { id, nickname } = account ?? (await send(url, 'POST /api/auth/register', { json }, 201)).body?.data ?? {};
  const session = account && (await openSessionDirectly(url, id));
  const { accessToken, refreshToken } =
    session ?? (await send(url, 'POST /api/auth/login', { json: { email, password } })).body?.data ?? {};
  return { id, email, password, nickname, token: accessToken, refreshToken };
}

/** A member who is registered before the tests, or before each test, of the calling `describe`. */
export function useMember(app: { url: string }, hook: typeof before | typeof beforeEach = before): BuiltMember {
  const member = {} as BuiltMember;
  hook(async () => void Object.assign(member, await buildMember(app.url)));
  return member;
}

export interface BuiltArticle {
  id: number;
  author: BuiltMember;
}

export async function buildArticle(
  url: string,
  overrides: Record<string, unknown> = {},
  author?: BuiltMember,
): Promise<BuiltArticle> {
  count++;
  const writer = author ?? (await buildMember(url));
  const json = { title: `Title ${count}`, content: `Content ${count}`, ...overrides };
  const { body } = await send(url, 'POST /api/articles', { token: writer.token, json }, 201);
  return { id: body?.data.id, author: writer };
}

/** An article that is written before the tests, or before each test, of the calling `describe`. */
export function useArticle(app: { url: string }, hook: typeof before | typeof beforeEach = before): BuiltArticle {
  const article = {} as BuiltArticle;
  hook(async () => void Object.assign(article, await buildArticle(app.url)));
  return article;
}

export interface BuiltImage {
  id: number;
  url: string;
  /** The key of its files. */
  key: string;
}

/** An uploaded image of one color. */
export async function buildImage(
  url: string,
  { token }: Pick<BuiltMember, 'token'>,
  width = 400,
  height = 10,
): Promise<BuiltImage> {
  const sent = multipart([filePart(await flat(width, height).png().toBuffer())]);
  const { body } = await send(url, 'POST /api/images', { token, ...sent }, 201);
  return { id: body?.data.id, url: body?.data.url, key: body?.data.url.slice(-37, -5) };
}

export interface BuiltComment {
  id: number;
  content: string;
  author: BuiltMember;
}

/** A comment on an article, or with `parentCommentId` a reply. */
export async function buildComment(
  url: string,
  articleId: number,
  overrides: { content?: string; parentCommentId?: number } = {},
  author?: BuiltMember,
): Promise<BuiltComment> {
  count++;
  const writer = author ?? (await buildMember(url));
  const json = { content: `Comment ${count}`, ...overrides };
  const { body } = await send(url, `POST /api/articles/${articleId}/comments`, { token: writer.token, json }, 201);
  return { id: body?.data.id, content: json.content, author: writer };
}
