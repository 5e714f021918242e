/** HTTP clients for REST and GraphQL. Every REST response is validated against the OpenAPI document. */
import { type Answer, checkAnswer } from './openapi.js';

export type { Answer } from './openapi.js';

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
): Promise<Answer> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json !== undefined ? JSON.stringify(json) : (body ?? null),
  });
  const text = await textOf(response);
  const answer = { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  await checkAnswer(url, method, path, answer);
  return answer;
}

/** Empty for event streams, which do not end. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('Content-Type') !== 'text/event-stream') return response.text();
  await response.body?.cancel();
  return '';
}

/** The errors `[{field, message}]` of a response as `field: message` lines, in order. */
export function faults({ body }: Answer): string[] {
  const errors: { field: string; message: string }[] = body?.data.errors ?? [];
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

export interface GraphQLAnswer {
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
): Promise<GraphQLAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as GraphQLAnswer;
  return { status: response.status, headers: response.headers, data, errors };
}
