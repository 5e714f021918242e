/** Forms of requests that several attacks use. */
import { gzipSync } from 'node:zlib';
import type { HttpRequest } from './http.js';

export const JSON_TYPE = { 'Content-Type': 'application/json' };

export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

export interface Operation {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string;
  readonly extensions?: unknown;
}

export function graphqlPost(operation: Operation, token?: string): HttpRequest {
  const headers = { ...JSON_TYPE, ...(token !== undefined && bearer(token)) };
  return { path: '/graphql', headers, body: JSON.stringify(operation) };
}

export function graphqlGet({ query, variables = {} }: Operation): HttpRequest {
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  return { method: 'GET', path: `/graphql?${search}` };
}

export function graphqlGzip(operation: Operation, token?: string): HttpRequest {
  const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip', ...(token !== undefined && bearer(token)) };
  return { path: '/graphql', headers, body: gzipSync(JSON.stringify(operation)) };
}

/** As the GraphQL multipart request specification has it, without a file. */
export function graphqlMultipart(operation: Operation, token: string): HttpRequest {
  const fields = { operations: JSON.stringify(operation), map: '{}' };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  return { path: '/graphql', headers: { ...headers, ...bearer(token) }, body: `${parts.join('')}--x--\r\n` };
}

export function restPost(path: string, json: unknown, token?: string): HttpRequest {
  return { path, headers: { ...JSON_TYPE, ...(token !== undefined && bearer(token)) }, body: JSON.stringify(json) };
}

/** A call of a tool for agents, as clients of 2026 send it: the response is JSON. */
export function toolCall(name: string, args: unknown, token?: string) {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  const headers = {
    ...JSON_TYPE,
    Accept: 'application/json, text/event-stream',
    'Mcp-Protocol-Version': version,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
    ...(token === undefined ? {} : bearer(token)),
  };
  return { path: '/mcp', headers, body: JSON.stringify(body) };
}

export function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The same request several times: to write its body can take longer than the service needs to reject it. */
export function repeated(count: number, request: HttpRequest): HttpRequest[] {
  return times(count, () => request);
}

/** Generated one by one, so that the attacker does not hold many large requests in memory. */
export function* lazily<Item>(count: number, make: (index: number) => Item): Iterable<Item> {
  for (let index = 0; index < count; index++) yield make(index);
}
