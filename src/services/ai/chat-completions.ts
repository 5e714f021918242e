/** Requests to `/chat/completions`, which all providers with an OpenAI-compatible API have. */
import type { AiSettings } from '../../platform/config/settings/ai.js';
import { boundedFetch } from '../../platform/http/bounded-fetch.js';

/** Maximum bytes of a response: 100,000 characters, all escaped in JSON, take 600,000. */
const MAX_BYTES = 2_000_000;
/** Bytes of a streamed response, which wraps each token in a few hundred bytes of JSON. */
const MAX_STREAMED_BYTES = 32_000_000;

const fetchWhole = boundedFetch(MAX_BYTES);
const fetchStream = boundedFetch(MAX_STREAMED_BYTES);

export interface ChatRequest {
  model: string;
  messages: { role: string; content: string }[];
  max_tokens?: number;
  max_completion_tokens?: number;
  response_format?: { type: 'json_schema'; json_schema: object };
  stream?: boolean;
  stream_options?: { include_usage: boolean };
}

interface ChatMessage {
  content?: unknown;
  refusal?: unknown;
}

/** A response, or a chunk of a stream. A provider may leave out any field. */
export type ChatResponse = {
  choices?: { message?: ChatMessage; delta?: ChatMessage; finish_reason?: string | null }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  error?: unknown;
} | null;

/** The provider responded with another status than 200 to 299, or with an error in a stream. */
export class ProviderError extends Error {
  constructor(
    readonly status: number,
    readonly headers = new Headers(),
  ) {
    super(`the provider responded with ${status}`);
  }
}

/** @throws ProviderError, TypeError if there is no connection, SyntaxError, or ResponseTooLargeError as a cause */
export async function complete(settings: AiSettings, body: ChatRequest, signal: AbortSignal): Promise<ChatResponse> {
  const response = await send(fetchWhole, settings, body, signal);
  return JSON.parse(await response.text());
}

/** Resolves when the headers are received. @throws as `complete` */
export async function stream(
  settings: AiSettings,
  body: ChatRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<ChatResponse>> {
  const response = await send(fetchStream, settings, { ...body, stream: true }, signal);
  return chunksOf(response.body ?? ReadableStream.from<Uint8Array>([]));
}

async function send(
  request: typeof fetch,
  { baseUrl, apiKey }: AiSettings,
  body: ChatRequest,
  signal: AbortSignal,
): Promise<Response> {
  const response = await request(`${baseUrl.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: body.stream ? 'text/event-stream' : 'application/json',
      ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
    // A redirect would send an article's text to an address that is not configured.
    redirect: 'error',
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new ProviderError(response.status, response.headers);
}

/** The events of a stream up to `[DONE]`. */
async function* chunksOf(body: AsyncIterable<Uint8Array>): AsyncIterable<ChatResponse> {
  let data = '';
  for await (const line of linesOf(body)) {
    if (line.startsWith('data:')) data += line.slice('data:'.length);
    if (line !== '' || data === '') continue;
    if (data.trim() === '[DONE]') return;
    const chunk: ChatResponse = JSON.parse(data);
    if (chunk?.error) throw new ProviderError(500);
    yield chunk;
    data = '';
  }
}

/** Lines without their end, which is LF or CRLF. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let line = '';
  for await (const bytes of body) {
    const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
    line += first;
    for (const next of others) {
      yield line.replace(/\r$/, '');
      line = next;
    }
  }
}
