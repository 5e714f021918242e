/** HTTP clients for REST and GraphQL. Every REST response is validated against the OpenAPI document. */
import { expect } from 'chai';
import { MARKDOWN_TYPE } from '../../src/feeds/article-markdown.js';
import { checkResponse, type RestResponse } from './openapi.js';
import { type Received, send } from './request.js';

export type { RestResponse } from './openapi.js';

export interface RequestOptions {
  token?: string;
  json?: unknown;
  body?: string | Blob | FormData | URLSearchParams | Uint8Array | ReadableStream;
  headers?: Record<string, string>;
}

/** @param target such as `GET /api/members/me` */
export async function call(
  url: string,
  target: string,
  { token, json, body, headers }: RequestOptions = {},
): Promise<RestResponse> {
  const [method = '', path = ''] = target.split(' ');
  const {
    status,
    headers: received,
    text,
  } = await sendBody(
    url + path,
    method,
    {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    json !== undefined ? JSON.stringify(json) : (body ?? null),
  ).catch((cause: Error) => {
    // Mocha's workers report only the message.
    throw new Error(`${target}: ${cause.message}: ${cause.cause}`, { cause });
  });
  const parsed = { status, headers: received, body: text === '' ? null : JSON.parse(text) };
  await checkResponse(url, method, path, parsed);
  return parsed;
}

/** Forms and streams are sent by `fetch`, which encodes them. */
async function sendBody(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: NonNullable<RequestOptions['body']> | null,
): Promise<Received> {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array)
    return send(url, method, headers, body, isText);
  const response = await fetch(url, { method, headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Event streams do not end, and `fetch` reads files. */
function isText(type: string): boolean {
  return !['text/event-stream', 'application/zip', MARKDOWN_TYPE].includes(type);
}

/** The errors `[{field, message}]` of a response as `field: message` lines, in order. */
export function fieldErrors({ body }: RestResponse): string[] {
  const errors: { field: string; message: string }[] = body?.data.errors ?? [];
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

export function expectFieldErrors(response: RestResponse, ...expected: string[]): void {
  expect(fieldErrors(response), JSON.stringify(response.body)).to.deep.equal(expected);
}

/** Expects this status and this code: `1`, or the key of the error. @returns the response */
export async function expectStatus<Reply extends { status: number; body: { code: string } | null }>(
  reply: Promise<Reply>,
  status: number,
  code: string,
  label = '',
): Promise<Reply> {
  const response = await reply;
  expect([response.status, response.body?.code], label).to.deep.equal([status, code]);
  return response;
}

export interface GraphQLResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response.
  data: any;
  errors: { message: string; path?: string[]; extensions: { code: string; errors?: unknown[] } }[] | undefined;
}

export async function graphql(
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
  token?: string,
): Promise<GraphQLResponse> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const received = await send(`${url}/graphql`, 'POST', headers, JSON.stringify({ query, variables }));
  const { data, errors } = JSON.parse(received.text) as GraphQLResponse;
  return { status: received.status, headers: received.headers, data, errors };
}
