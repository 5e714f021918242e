/** Reads the current stamps for all requests that wait in one turn of the event loop, with one statement. */
import type { Database } from '../platform/database/pool.js';
import { type Statement, statement } from '../platform/database/statement.js';
import type { Version } from '../platform/http/conditional.js';
import { observeStampBatch } from '../platform/observability/metrics/response-cache.js';
import { readStamp, STAMP_QUERIES, type StampKey, type StampKind, TEXT_KINDS } from './stamp.js';

/** A read may take this long before the next one starts without waiting for it: a slow read delays only its own requests. */
const SLOW_READ_MS = 20;

/** Requests that share one statement. Further requests start another one. */
const MAX_BATCH = 1_000;

const KINDS = Object.keys(STAMP_QUERIES) as StampKind[];

/** The first letters identify a kind, so that the name of a statement with all of them is not too long. */
const MAX_KIND_CHARACTERS = 3;

interface BatchRow {
  kind: StampKind;
  /** 0 for a kind without ids; for texts, the position in the parameter, beginning at 1. */
  id: number;
  stamp: string;
}

type Ids = readonly StampKey['id'][];

/** By the kinds that they read. A statement locks its tables even if it reads none of their rows: others must not wait for them. */
const statements = new Map<string, Statement<readonly Ids[], BatchRow>>();

/** Parameters: for each kind, the ids; 0 for a kind without ids. */
function statementFor(kinds: readonly StampKind[]) {
  const name = `read_stamps_${kinds.map((kind) => kind.slice(0, MAX_KIND_CHARACTERS)).join('_')}`;
  const found = statements.get(name);
  if (found) return found;
  const queries = kinds.map((kind, index) =>
    STAMP_QUERIES[kind](`$${index + 1}::${TEXT_KINDS.has(kind) ? 'text' : 'bigint'}[]`),
  );
  const added = statement<readonly Ids[], BatchRow>(name, queries.join('\nunion all\n'));
  statements.set(name, added);
  return added;
}

interface Waiting {
  readonly ids: Map<StampKind, Set<StampKey['id']>>;
  readonly versions: Promise<ReadonlyMap<string, Version>>;
  readonly start: (versions: Promise<ReadonlyMap<string, Version>>) => void;
  requests: number;
}

export class StampReader {
  #waiting: Waiting | null = null;
  #isReading = false;
  #isScheduled = false;

  constructor(readonly database: Database) {}

  /**
   * The versions of these resources, in order; null for a row that does not exist. The statement starts after this call, so that the
   * versions are at least as recent as the request.
   */
  async read(keys: readonly StampKey[]): Promise<(Version | null)[]> {
    this.#waiting ??= newBatch();
    const waiting = this.#waiting;
    waiting.requests++;
    for (const { kind, id } of keys) {
      const ids = waiting.ids.get(kind) ?? new Set();
      waiting.ids.set(kind, ids.add(id));
    }
    if (waiting.requests === MAX_BATCH) this.#readWaiting();
    else this.#schedule();
    const versions = await waiting.versions;
    return keys.map(({ kind, id }) => versions.get(`${kind} ${id}`) ?? null);
  }

  /** Requests that arrive in the same turn of the event loop, or while a statement runs, share the next statement. */
  #schedule(): void {
    if (this.#isReading || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#readWaiting();
    });
  }

  #readWaiting(): void {
    const batch = this.#waiting;
    if (!batch) return;
    this.#waiting = null;
    this.#isReading = true;
    observeStampBatch(batch.requests);
    const next = once(() => {
      this.#isReading = false;
      if (this.#waiting) this.#schedule();
    });
    const timer = setTimeout(next, SLOW_READ_MS);
    const read = this.#query(batch.ids).finally(() => {
      clearTimeout(timer);
      next();
    });
    batch.start(read);
  }

  async #query(ids: Waiting['ids']): Promise<ReadonlyMap<string, Version>> {
    const kinds = KINDS.filter((kind) => ids.has(kind));
    const parameters = kinds.map((kind) => [...(ids.get(kind) ?? [])]);
    const rows = await this.database.query(statementFor(kinds), parameters);
    const keyOf = ({ kind, id }: BatchRow) =>
      `${kind} ${TEXT_KINDS.has(kind) ? parameters[kinds.indexOf(kind)]?.[id - 1] : id}`;
    return new Map(rows.map((row) => [keyOf(row), readStamp(row.stamp)]));
  }
}

/** The current version of all these resources together; null if one of them does not exist. */
export async function readVersion(reader: StampReader, keys: readonly StampKey[]): Promise<Version | null> {
  const versions = await reader.read(keys);
  const [first, ...others] = versions;
  if (!first || others.length === 0) return first ?? null;
  const found = versions.filter((version) => version !== null);
  if (found.length < versions.length) return null;
  return {
    tag: found.map(({ tag }) => tag).join(' '),
    second: Math.max(...found.map(({ second }) => second)),
    isRecent: found.some(({ isRecent }) => isRecent),
  };
}

function newBatch(): Waiting {
  let start: Waiting['start'] = () => {};
  const versions = new Promise<ReadonlyMap<string, Version>>((resolve) => {
    start = resolve;
  });
  return { ids: new Map(), versions, start, requests: 0 };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
