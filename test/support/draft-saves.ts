/** Saves of drafts over REST. */
import { expect } from 'chai';
import type { BuiltMember } from './build.js';
import { call, type RestResponse } from './client.js';

type Writer = Pick<BuiltMember, 'token'>;

/** @returns the id */
export async function newDraft(url: string, { token }: Writer, json: object = {}): Promise<number> {
  const { status, body } = await call(url, 'POST /api/drafts', { token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data.id;
}

export function saveDraft(
  url: string,
  { token }: Writer,
  id: number,
  json: unknown,
  ifMatch?: string,
): Promise<RestResponse> {
  const headers: Record<string, string> = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
  return call(url, `PATCH /api/drafts/${id}`, { token, json, headers });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response.
export async function readDraft(url: string, { token }: Writer, id: number): Promise<any> {
  return (await call(url, `GET /api/drafts/${id}`, { token })).body?.data;
}
