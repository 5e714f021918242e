/** Custom styles created through the API, made unique by a counter, and style transformations. */
import { expect } from 'chai';
import { type BuiltMember } from './build.js';
import { call, graphql } from './client.js';
import { allEvents, callForEvents } from './events.js';
import type { Envelope } from './openapi.js';

let count = 0;

/** @returns the style of the response */
export async function buildStyle(url: string, { token }: BuiltMember, overrides: Record<string, string> = {}) {
  count++;
  const json = {
    name: `Style ${count}`,
    role: `Writer ${count}`,
    instruction: `Write like number ${count}.`,
    ...overrides,
  };
  const { status, body } = await call(url, 'POST /api/members/me/custom-styles', { token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data as { id: number; name: string; role: string; instruction: string };
}

export const TRANSFORM = 'POST /api/articles/transform-style';

/** The result of a style transformation. */
export interface Transformed {
  status: number;
  /** `1`, or the key of the error. */
  code: string;
  message: string;
  text: string | null;
  style: string | null;
  retryAfter: string | null;
}

type SendTransform = (url: string, member: BuiltMember, input: Record<string, unknown>) => Promise<Transformed>;

/** Sends the same request through each API and response format. */
export const TRANSFORM_CLIENTS: Record<string, SendTransform> = {
  REST: async (url, { token }, json) => {
    const { status, headers, body } = await call(url, TRANSFORM, { token, json });
    return outcome(status, headers, body);
  },
  'REST in chunks': async (url, { token }, json) => {
    const response = await callForEvents(url, TRANSFORM, { token, json });
    const last = (await allEvents(response)).at(-1);
    return outcome(response.status, response.headers, response.body ?? last?.data ?? null);
  },
  GraphQL: async (url, { token }, input) => {
    const query =
      'mutation ($input: TransformStyleInput!) { transformStyle(input: $input) { transformedContent styleName } }';
    const { status, headers, data, errors } = await graphql(url, query, { input }, token);
    const { transformedContent = null, styleName = null } = data?.transformStyle ?? {};
    const [error] = errors ?? [];
    return {
      status,
      code: error?.extensions.code ?? '1',
      message: error?.message ?? '',
      text: transformedContent,
      style: styleName,
      retryAfter: headers.get('Retry-After'),
    };
  },
};

export function outcome(status: number, headers: Headers, body: Envelope | null): Transformed {
  const { transformedContent: text = null, writingStyle: style = null } = body?.data ?? {};
  const [code, message] = [body?.code ?? '', body?.message ?? ''];
  return { status, code, message, text, style, retryAfter: headers.get('Retry-After') };
}
