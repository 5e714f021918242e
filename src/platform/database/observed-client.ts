/** A PostgreSQL client that reports its statements to metrics, traces, and tests that count statements. */
import { channel } from 'node:diagnostics_channel';
import { SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { observeStatement } from '../observability/metrics/latency.js';
import { endSpan, errorTypeOf, startSpan } from '../observability/tracing/span.js';
import { BoundedClient } from './bounded-client.js';
import { connectionOf } from './internals.js';
import { type KnownColumns, PreparedQuery } from './prepared-query.js';
import type { PreparedText } from './statement.js';

/** Diagnostics channel that publishes every statement sent as `{ text }`, for tests that count them. */
export const statements = channel('daybook:statement');

interface Sent {
  name?: string;
  text?: string;
}

type Done = (error: unknown, ...results: unknown[]) => void;

export class ObservedClient extends BoundedClient {
  readonly #columns: KnownColumns = new Map();
  readonly #parserOf = (type: number) => this.getTypeParser(type, 'text');

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query are passed through unchanged.
  override query(...args: any[]): any {
    const sent: Sent = typeof args[0] === 'string' ? { text: args[0] } : args[0];
    if (statements.hasSubscribers) statements.publish({ text: sent.text });
    const end = begin(labelOf(sent));
    const done: unknown = args.at(-1);
    if (typeof done === 'function') args[args.length - 1] = both(end, done as Done);
    const result: unknown = super.query(...(args as Parameters<pg.Client['query']>));
    if (result instanceof Promise) result.then(() => end(null), end);
    return result;
  }

  /** Executes a prepared statement. @param commits ends the transaction after it, in the same round trip @returns the rows as PostgreSQL returns them */
  async execute(statement: PreparedText, values: readonly unknown[], commits = false): Promise<object[]> {
    if (statements.hasSubscribers) statements.publish({ text: statement.text });
    const end = begin(labelOf(statement));
    try {
      const rows = await new Promise<object[]>((resolve, reject) => {
        const done = (error: Error | null, rows: object[]) => (error ? reject(error) : resolve(rows));
        const query = new PreparedQuery(statement, values, this.#columns, this.#parserOf, done, commits);
        super.query(query);
      });
      end(null);
      return rows;
    } catch (error) {
      end(error);
      // In place of that of the socket.
      Error.captureStackTrace(error as Error);
      throw error;
    }
  }

  /** Deallocates a prepared statement. Not reported to metrics and traces, since the statement is not part of a request. */
  async deallocate(name: string): Promise<void> {
    const { parsedStatements } = connectionOf(this);
    if (parsedStatements[name] === undefined) return;
    delete parsedStatements[name];
    this.#columns.delete(name);
    await super.query(`deallocate ${name}`);
  }
}

function both(end: (error: unknown) => void, done: Done): Done {
  return (error, ...results) => {
    end(error);
    done(error, ...results);
  };
}

/** @returns a callback for the end of the statement, with its error or null. Text and values are not reported: both may contain data. */
function begin(label: string): (error: unknown) => void {
  const started = performance.now();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': label };
  const span = startSpan(label, { kind: SpanKind.CLIENT, attributes });
  return (error) => {
    observeStatement(label, !error, (performance.now() - started) / 1000);
    endSpan(span, error ? errorTypeOf(error) : undefined);
  };
}

const VERBS = new Set(['select', 'insert', 'update', 'delete', 'with', 'start', 'commit', 'rollback', 'set', 'show']);
/** The numeric suffix of composed statements is removed, so that the number of metric labels is bounded. */
const NUMBER = /_\d.*$/;

function labelOf({ name, text = '' }: Sent): string {
  return name === undefined ? verbOf(text) : name.replace(NUMBER, '');
}

function verbOf(text: string): string {
  const verb = /^\s*(\w{1,10})/.exec(text)?.[1]?.toLowerCase() ?? '';
  return VERBS.has(verb) ? verb : 'other';
}
