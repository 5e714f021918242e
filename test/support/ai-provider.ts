/** A scripted AI provider with the OpenAI chat completions API over HTTP. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { closeServer, listen } from './server.js';

export interface AiRequest {
  headers: IncomingHttpHeaders;
  /** The request body: `model`, `messages`, `stream`, … */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the request.
  body: any;
}

/** Responds to one request. */
export type Behavior = (response: ServerResponse, request: AiRequest) => void | Promise<void>;

export interface AiProvider {
  /** The value of AI_BASE_URL. */
  url: string;
  /** The environment for a service that uses it. */
  environment: { AI_BASE_URL: string; AI_API_KEY: string; AI_MODEL: string };
  /** Every request, in order. */
  requests: AiRequest[];
  /** Sets the behaviors of the next requests, one each; the last one is repeated. Clears `requests`. */
  setResponses(...behaviors: Behavior[]): void;
  close(): Promise<void>;
}

export const AI_KEY = 'a-key-of-the-tests';

export async function startAiProvider(): Promise<AiProvider> {
  const requests: AiRequest[] = [];
  let behaviors: Behavior[] = [respond.withText('nothing')];
  const server = createServer(async (request, response) => {
    const aiRequest = { headers: request.headers, body: JSON.parse((await textOf(request)) || 'null') };
    const behavior = behaviors[Math.min(requests.length, behaviors.length - 1)];
    requests.push(aiRequest);
    // Clients disconnect during the response in some tests.
    response.on('error', () => {});
    await behavior?.(response, aiRequest);
  });
  const url = `http://127.0.0.1:${await listen(server)}/v1`;
  const setResponses = (...next: Behavior[]) => {
    behaviors = next;
    requests.length = 0;
  };
  const environment = { AI_BASE_URL: url, AI_API_KEY: AI_KEY, AI_MODEL: 'scripted' };
  return { url, environment, requests, setResponses, close: () => closeServer(server) };
}

/** Responses of the provider. */
export const respond = {
  /** Responds with this text, in chunks if the request sets `stream`. Usage: 11 tokens in, 7 out. */
  withText(text: string, end = 'stop'): Behavior {
    return (response, { body }) => {
      if (!body?.stream) return json(response, completion(text, end));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const chunk of text.match(/.{1,8}/gsu) ?? []) event(response, { delta: { content: chunk } });
      event(response, { delta: {}, finish_reason: end }, USAGE);
      response.end('data: [DONE]\n\n');
    };
  },

  withStatus(status: number, headers: Record<string, string> = {}): Behavior {
    // Providers include the rejected key in their error messages.
    return (response) => json(response, { error: { message: `no to ${AI_KEY}`, type: 'some_error' } }, status, headers);
  },

  /** Responds with any body, content type and status. */
  withBody(body: string, contentType = 'application/json', status = 200): Behavior {
    return (response) => void response.writeHead(status, { 'Content-Type': contentType }).end(body);
  },

  /** Accepts the request and never responds. */
  never() {},

  /** Starts the response immediately and never ends it. */
  withoutEnd(response: ServerResponse) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  },

  withReset(response: ServerResponse) {
    response.socket?.resetAndDestroy();
  },

  /** Sends the beginning of a response, and later resets the connection: a client that has not read the text yet would lose it. */
  withResetAfter(text: string, read: () => Promise<void> = () => delay(50)): Behavior {
    return async (response, { body }) => {
      if (body?.stream) event(response, { delta: { content: text } });
      else response.write('{"choices":[');
      await read();
      response.socket?.resetAndDestroy();
    };
  },

  /** A valid response whose text has this number of bytes. */
  withBytes(bytes: number): Behavior {
    return respond.withText('x'.repeat(bytes));
  },
};

export interface PausedResponse {
  behavior: Behavior;
  /** Resolves when the request has arrived. */
  received: Promise<void>;
  release(): void;
}

/** Delays the response until `release` is called. */
export function pauseResponse(then: Behavior): PausedResponse {
  let release = () => {};
  let arrive = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const received = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const behavior: Behavior = async (response, request) => {
    arrive();
    await released;
    await then(response, request);
  };
  return { behavior, received, release };
}

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function completion(content: string, end: string): object {
  const message = { role: 'assistant', content, refusal: null };
  const choices = [{ index: 0, message, finish_reason: end, logprobs: null }];
  return { id: 'c', object: 'chat.completion', created: 0, model: 'scripted', choices, usage: USAGE };
}

function event(response: ServerResponse, choice: object, usage: object | null = null): void {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'scripted', usage };
  response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`);
}

function json(response: ServerResponse, body: object, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
