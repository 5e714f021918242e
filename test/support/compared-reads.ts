/** Requests of several readers to every operation, whose responses are compared before and after a change that they must not show. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../hostile/seeded-random.js';
import {
  type ApiRequest,
  isTextKind,
  type Kind,
  type Operation,
  type Scopes,
  type Slot,
  type TextKind,
} from './operations.js';
import { send } from './request.js';

export interface Reader {
  readonly name: string;
  /** Absent: anonymous. */
  readonly token?: string;
  /** The member as whom comments are read; 0: anonymous. */
  readonly viewerId: number;
  readonly scopes: Scopes;
}

/** What parameters can refer to. */
export interface Subjects {
  readonly known: Readonly<Record<Kind, readonly unknown[]>>;
  /** Ids and names of private texts, also of future ones: to others, they are unknown. */
  readonly hidden: Readonly<Partial<Record<Kind, readonly unknown[]>>>;
}

export interface Read extends ApiRequest {
  readonly operation: Operation;
  readonly reader: Reader;
  /** Asks only whether there is anything (RFC 9110 §13.1.2): a 304 instead of a 404 would show it. */
  readonly isConditional?: boolean;
}

/** Combinations of optional parameters, besides each of them alone. */
const COMBINATIONS = 2;

/** For a read: all values of each parameter. For a write: those with a private text, which have to fail. */
export function readsOf(operation: Operation, reader: Reader, subjects: Subjects, random: SeededRandom): Read[] {
  if (!(reader.token === undefined ? operation.isPublic : operation.mayCall(reader.scopes))) return [];
  const required = operation.slots.filter(({ isRequired }) => isRequired);
  const first = Object.fromEntries(required.map((slot) => [slot.name, valuesOf(slot, subjects)[0]]));
  const optional = operation.slots.filter((slot) => !slot.isRequired && valuesOf(slot, subjects).length > 0);
  const all = operation.isWrite
    ? operation.slots.flatMap((slot) => hiddenOf(slot, subjects).map((value) => ({ ...first, [slot.name]: value })))
    : [
        ...product(required, subjects),
        ...optional.flatMap((slot) => valuesOf(slot, subjects).map((value) => ({ ...first, [slot.name]: value }))),
        ...Array.from({ length: optional.length > 1 ? COMBINATIONS : 0 }, () => {
          const chosen = optional.filter(() => random.chance(50));
          return { ...first, ...Object.fromEntries(chosen.map((s) => [s.name, random.pick(valuesOf(s, subjects))])) };
        }),
      ];
  const reads = all.map((values) => ({ ...operation.request(values, reader.scopes), operation, reader }));
  const conditional = reader.token === undefined ? reads.filter(({ method }) => method === 'GET') : [];
  return [...reads, ...conditional.map((read) => ({ ...read, isConditional: true }))];
}

/**
 * At most this many: first each request of the first readers by one of them, then each operation by each of them, then all others of all readers.
 * Random ones if not all of a step fit.
 */
export function sample(all: readonly Read[], size: number, first: readonly Reader[], random: SeededRandom): Read[] {
  const chosen = new Set<Read>();
  const choose = (reads: readonly Read[], groupOf: (read: Read) => string) => {
    const groups = new Map<string, Read[]>();
    for (const read of reads) {
      if (!chosen.has(read)) groups.set(groupOf(read), [...(groups.get(groupOf(read)) ?? []), read]);
    }
    for (const group of shuffled([...groups.values()], random)) if (chosen.size < size) chosen.add(random.pick(group));
  };
  const main = all.filter(({ reader }) => first.includes(reader));
  const operationOf = ({ operation, reader }: Read) => `${operation.name} ${reader.name}`;
  choose(main, ({ method, path, body, isConditional }) => `${method} ${path} ${body} ${isConditional}`);
  choose(main, operationOf);
  choose(all, operationOf);
  for (const read of shuffled(all, random)) if (chosen.size < size) chosen.add(read);
  return [...chosen];
}

export function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const left = [...items];
  return items.map(() => {
    const index = random.integer(0, left.length - 1);
    const [item] = left.splice(index, 1);
    return item as Item;
  });
}

/** Whether a request needs a parameter that has no values. */
export function isUncallable({ slots }: Operation): boolean {
  return slots.some(({ isRequired, values }) => isRequired && values.length === 0);
}

export function concernsTexts({ slots }: Operation): boolean {
  return slots.some(({ values }) => isTextKind(values));
}

function valuesOf({ values }: Slot, { known, hidden }: Subjects): readonly unknown[] {
  return typeof values === 'string' ? [...known[values], ...(hidden[values] ?? [])] : values;
}

function hiddenOf({ values }: Slot, { hidden }: Subjects): readonly unknown[] {
  return isTextKind(values) ? (hidden[values as TextKind] ?? []) : [];
}

function product(slots: readonly Slot[], subjects: Subjects): Record<string, unknown>[] {
  return slots.reduce<Record<string, unknown>[]>(
    (all, slot) => all.flatMap((one) => valuesOf(slot, subjects).map((value) => ({ ...one, [slot.name]: value }))),
    [{}],
  );
}

export interface Copy {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

const MAX_ATTEMPTS = 10;
const VARYING = ['date', 'x-request-id', 'connection', 'keep-alive'];

type SentRead = Omit<Read, 'operation'>;

async function sendRead(url: string, { method, path, body, accept, reader, isConditional }: SentRead): Promise<Copy> {
  const headers = {
    'Accept-Encoding': 'identity',
    ...(accept !== undefined && { Accept: accept }),
    ...(reader.token !== undefined && { Authorization: `Bearer ${reader.token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(isConditional && { 'If-None-Match': '*' }),
  };
  const sendOnce = () => send(url + path, method, headers, body);
  // The service may close an idle connection at the moment when it is used again (RFC 9112 §9.3.1).
  let response = await sendOnce().catch(sendOnce);
  // On a busy machine, it can wait too long for its turn.
  for (let attempt = 1; response.status === 503 && attempt < MAX_ATTEMPTS; attempt++) {
    await delay(Number(response.headers.get('Retry-After')) * 1000);
    response = await sendOnce().catch(sendOnce);
  }
  const requestId = response.headers.get('X-Request-Id');
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !VARYING.includes(name)).join('\n'),
    body: requestId ? response.text.replaceAll(requestId, 'REQUEST_ID') : response.text,
  };
}

const PARALLEL = 6;

export async function sendAll(url: string, reads: readonly SentRead[]): Promise<Copy[]> {
  const copies: Copy[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < reads.length; index = next++)
      copies[index] = await sendRead(url, reads[index] as SentRead);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return copies;
}

export function describeRead({ reader, method, path, body, isConditional }: Read): string {
  return `${reader.name}: ${method} ${decodeURIComponent(path)} ${body ?? ''}${isConditional ? ' if none match' : ''}`;
}
