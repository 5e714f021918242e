/** HTTP clients for REST and GraphQL. Every REST response is validated against the OpenAPI document. */
import { expect } from 'chai';
import { MARKDOWN_TYPE } from '../../src/feeds/article-markdown.js';
import { checkResponse, type RestResponse } from './openapi.js';

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
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json !== undefined ? JSON.stringify(json) : (body ?? null),
  }).catch((cause: Error) => {
    // Mocha's workers report only the message, and that of `fetch` does not say why.
    throw new Error(`${target}: ${cause.message}: ${cause.cause}`, { cause });
  });
  const text = await textOf(response);
  const parsed = { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  await checkResponse(url, method, path, parsed);
  return parsed;
}

/** Empty for event streams, which do not end, and for files: `fetch` reads them. */
async function textOf(response: Response): Promise<string> {
  const type = response.headers.get('Content-Type') ?? '';
  if (!['text/event-stream', 'application/zip', MARKDOWN_TYPE].includes(type)) return response.text();
  await response.body?.cancel();
  return '';
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
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as GraphQLResponse;
  return { status: response.status, headers: response.headers, data, errors };
}
