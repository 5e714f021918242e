/** A trace collector: receives OTLP over HTTP as protobuf and stores the spans. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Field, readMessage } from './protobuf.js';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, unknown>;
  /** 0 unset, 2 error. */
  status: number;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  resources: Record<string, unknown>[];
  headers: IncomingHttpHeaders[];
  /** All request bodies as text. */
  text(): string;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const collected: Pick<Collector, 'spans' | 'resources' | 'headers'> = { spans: [], resources: [], headers: [] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    bodies.push(body);
    collected.headers.push(request.headers);
    if (request.url === '/v1/traces') read(body, collected);
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...collected,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The field numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function read(body: Uint8Array, { spans, resources }: Pick<Collector, 'spans' | 'resources'>): void {
  for (const resourceSpans of messages(readMessage(body), 1)) {
    for (const resource of messages(resourceSpans, 1)) resources.push(attributesOf(resource, 1));
    for (const scopeSpans of messages(resourceSpans, 2)) spans.push(...messages(scopeSpans, 2).map(toSpan));
  }
}

function toSpan(span: Map<number, Field[]>): CollectedSpan {
  const [status] = messages(span, 15);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: textOf(span, 5),
    kind: Number(span.get(6)?.[0] ?? 0),
    attributes: attributesOf(span, 9),
    status: Number(status?.get(3)?.[0] ?? 0),
  };
}

function attributesOf(message: Map<number, Field[]>, number: number): Record<string, unknown> {
  const pairs = messages(message, number).map((pair) => {
    const [value] = messages(pair, 2);
    const number = value?.get(3)?.[0];
    return [textOf(pair, 1), number === undefined ? textOf(value ?? new Map(), 1) : Number(number)] as const;
  });
  return Object.fromEntries(pairs);
}

function messages(message: Map<number, Field[]>, number: number): Map<number, Field[]>[] {
  return (message.get(number) ?? []).map((field) => readMessage(field as Uint8Array));
}

function textOf(message: Map<number, Field[]>, number: number): string {
  return Buffer.from((message.get(number)?.[0] as Uint8Array) ?? []).toString('utf8');
}

function hex(message: Map<number, Field[]>, number: number): string {
  return Buffer.from((message.get(number)?.[0] as Uint8Array) ?? []).toString('hex');
}
