/** A client of Server-Sent Events that sends a request body, which EventSource does not support. */
import { type RequestOptions } from './client.js';
import { checkResponse, type Envelope, type RestResponse } from './openapi.js';

export interface ServerEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the event.
  data: any;
}

export interface EventResponse extends RestResponse {
  /** The events as they arrive; none if there is a body. */
  events: AsyncIterable<ServerEvent>;
}

/** @param target such as `POST /api/articles/transform-style` */
export async function callForEvents(
  url: string,
  target: string,
  { token, json, headers }: RequestOptions,
  signal: AbortSignal | null = null,
): Promise<EventResponse> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(url + path, {
    method,
    headers: {
      Accept: 'text/event-stream',
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(json),
    signal,
  });
  const { status, headers: received } = response;
  if (received.get('Content-Type') === 'text/event-stream') {
    return { status, headers: received, body: null, events: eventsOf(response) };
  }
  const parsed = { status, headers: received, body: (await response.json()) as Envelope };
  await checkResponse(url, method, path, parsed);
  return { ...parsed, events: eventsOf(new Response('')) };
}

export async function allEvents({ events }: EventResponse): Promise<ServerEvent[]> {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield parse(block);
  }
}

function parse(block: string): ServerEvent {
  const lines = block.split('\n').map((line) => /^(\w+): (.*)$/s.exec(line) ?? []);
  const [event, data] = ['event', 'data'].map((name) => lines.find(([, field]) => field === name)?.[2] ?? '');
  return { event: event ?? '', data: JSON.parse(data || 'null') };
}
