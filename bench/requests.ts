/** Requests to the contenders, and the comparison of their responses. */
import type autocannon from 'autocannon';

/** Path, method and body of a request. */
export type PageRequest = Pick<autocannon.Request, 'headers' | 'body'> & { method: 'GET' | 'POST'; path: string };

export const PAGE_SIZE = 10;

export const JSON_BODY = { 'content-type': 'application/json' };

export function graphqlRequest(query: string, variables: object): PageRequest {
  return { method: 'POST', path: '/graphql', headers: JSON_BODY, body: JSON.stringify({ query, variables }) };
}

/** @throws Error unless the status is 200 */
export async function fetchText(url: string, { method, path, headers, body }: PageRequest): Promise<string> {
  const response = await fetch(url + path, {
    method,
    ...(headers && { headers: headers as Record<string, string> }),
    ...(body !== undefined && { body: String(body) }),
  });
  const text = await response.text();
  if (response.status === 200) return text;
  throw new Error(`${method} ${url}${path}: status ${response.status}, ${text.slice(0, 300)}`);
}

/** @throws Error if two contenders return different responses, which would make the comparison invalid */
export function requireEqual(one: string, other: string, what: string): void {
  if (one === other) return;
  let at = 0;
  while (one[at] === other[at]) at++;
  const near = (text: string) => `…${text.slice(Math.max(0, at - 40), at + 40)}…`;
  throw new Error(`${what}: different from character ${at}:\n${near(one)}\n${near(other)}`);
}
