/** Drafts and articles of a member, and their share links, over both APIs. */
import { expect } from 'chai';
import type { SharedKind } from '../../src/models/share-link.js';
import type { TestApp } from './app.js';
import { type BuiltMember, buildArticle } from './build.js';
import { call, graphql } from './client.js';
import { rowsOf } from './imported.js';

export const KINDS: readonly SharedKind[] = ['draft', 'article'];

export interface BuiltText {
  kind: SharedKind;
  id: number;
  author: BuiltMember;
}

/** A draft, or a private article. */
export async function buildText(
  app: TestApp,
  kind: SharedKind,
  author: BuiltMember,
  text: { title?: string; content?: string; tags?: string[] } = {},
): Promise<BuiltText> {
  const json = { title: 'Owls', content: 'One is in the **attic**.', ...text };
  if (kind === 'draft') {
    const { body } = await call(app.url, 'POST /api/drafts', { token: author.token, json });
    return { kind, id: body?.data.id, author };
  }
  const { id } = await buildArticle(app.url, { ...json, visibility: 'PRIVATE' }, author);
  return { kind, id, author };
}

/** The path of the share link of a text. */
export function sharePath({ kind, id }: Pick<BuiltText, 'kind' | 'id'>): string {
  return `/api/${kind}s/${id}/share`;
}

export interface BuiltShare {
  token: string;
  url: string;
  expiresAt: string;
}

export async function buildShare(app: Pick<TestApp, 'url'>, text: BuiltText, json: object = {}): Promise<BuiltShare> {
  const { status, body } = await call(app.url, `POST ${sharePath(text)}`, { token: text.author.token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data;
}

/** Reads a shared text over both APIs. @returns `1`, or the key of the error, which is the same over both */
export async function codeOfShared(app: Pick<TestApp, 'url'>, token: string): Promise<string> {
  const rest = (await call(app.url, `GET /api/shared/${token}`)).body?.code ?? '';
  const { errors } = await graphql(app.url, READ, { token });
  expect(errors?.[0]?.extensions.code ?? '1', 'over GraphQL').to.equal(rest);
  return rest;
}

export const READ = `query ($token: String!) { sharedText(token: $token) {
  title content contentHtml authorName tags articleImg articleImgSizes { url width } updatedAt expiresAt
} }`;

/** All links, as the database stores them. */
export async function storedShares({ database }: Pick<TestApp, 'database'>): Promise<{ hash: string; text: string }[]> {
  return rowsOf(
    database,
    `select encode(token_hash, 'hex') as hash, to_jsonb(share_links)::text as text from share_links`,
  );
}
