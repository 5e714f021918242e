/** Sends the requests of attacks and checks the responses. */
import { type Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { ERRORS } from '../../src/platform/error-keys.js';

export interface HttpRequest {
  /** Default: POST. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

export interface Outcome {
  /** The status, and the error keys: `200`, `400 BAD_REQUEST`; `closed` without a response. */
  readonly label: string;
  /** Violations that no response may have, such as status 500 or a stack trace. */
  readonly violations: readonly string[];
  readonly ms: number;
  /** Of the label `closed`. */
  readonly cause?: unknown;
}

/** Bytes of a response that are examined. Longer ones are read to their end. */
const MAX_EXAMINED_BYTES = 1024 * 1024;

/** Stacks, SQL and paths of this machine. */
const INTERNALS =
  /\bat [^\n"]{0,100}\.[cm]?[jt]s:\d+|node_modules|SequelizeDatabaseError|syntax error at or near|\/dist\/src\//;

export function send(url: string, sent: HttpRequest, agent: Agent, signal?: AbortSignal): Promise<Outcome> {
  const { method = 'POST', path, headers, body } = sent;
  const started = performance.now();
  const outcome = (label: string, violations: string[] = []) => ({
    label,
    violations,
    ms: performance.now() - started,
  });
  const closed = (cause: unknown) => ({ ...outcome('closed'), cause });
  return new Promise((resolve) => {
    const outgoing = request(new URL(path, url), {
      method,
      agent,
      headers: { ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }), ...headers },
      ...(signal && { signal }),
    });
    outgoing.once('error', (cause) => resolve(closed(cause)));
    outgoing.once('response', (response) => {
      const label = (text: string) => {
        const keys = keysIn(text);
        return outcome([response.statusCode, ...keys].join(' '), violationsOf(response, text, method, keys));
      };
      textOf(response).then(label, closed).then(resolve);
    });
    outgoing.end(body);
  });
}

/** The body as text; empty for an event stream, which does not end. */
async function textOf(response: IncomingMessage): Promise<string> {
  if (response.headers['content-type'] === 'text/event-stream') {
    response.destroy();
    return '';
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (length < MAX_EXAMINED_BYTES) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).toString();
}

export function labelOf(status: number, text: string): string {
  return [status, ...keysIn(text)].join(' ');
}

/** The error keys of a response in the envelope, or in GraphQL's form. */
function keysIn(text: string): string[] {
  const body = jsonOf(text) as { code?: string; errors?: { extensions?: { code?: string } }[] } | undefined;
  if (Array.isArray(body?.errors)) return [...new Set(body.errors.map((error) => error.extensions?.code ?? 'no key'))];
  return body?.code === undefined || body.code === '1' ? [] : [String(body.code)];
}

function violationsOf(
  { statusCode: status = 0, headers }: IncomingMessage,
  text: string,
  method: string,
  keys: readonly string[],
): string[] {
  const violations: string[] = [];
  if (status >= 500 && status !== 503) violations.push(`status ${status}: ${text.slice(0, 300)}`);
  if (INTERNALS.test(text)) violations.push(`internals in the response: ${text.slice(0, 1000)}`);
  if (status >= 400 && keys.length === 0 && method !== 'HEAD')
    violations.push(`${status} without an error key: ${text.slice(0, 300)}`);
  for (const key of keys) if (!Object.hasOwn(ERRORS, key)) violations.push(`unknown error key ${key}`);
  if ((status === 503 || status === 429) && !headers['retry-after']) violations.push(`${status} without Retry-After`);
  if (keys.includes('INTERNAL_ERROR')) violations.push(`INTERNAL_ERROR: ${text.slice(0, 300)}`);
  return violations;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
