/** A trace collector: receives OTLP over HTTP as protobuf and stores the spans. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closeServer, listen } from './server.js';

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
  return {
    ...collected,
    url: `http://127.0.0.1:${await listen(server)}`,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: () => closeServer(server),
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

export type Field = number | bigint | Uint8Array;

/** @returns the values of each field number, in order */
function readMessage(bytes: Uint8Array): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const tag = Number(readVarint(cursor));
    const number = tag >> 3;
    fields.set(number, [...(fields.get(number) ?? []), readField(cursor, tag & 7)]);
  }
  return fields;
}

interface Cursor {
  bytes: Uint8Array;
  at: number;
}

/** The wire types: varint, 64 bits, length-delimited, 32 bits. */
function readField(cursor: Cursor, type: number): Field {
  if (type === 0) return readVarint(cursor);
  const length = type === 1 ? 8 : type === 5 ? 4 : Number(readVarint(cursor));
  const field = cursor.bytes.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return field;
}

function readVarint(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}
