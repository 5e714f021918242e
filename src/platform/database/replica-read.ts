/**
 * The reads of one response from a replica, verified: its first statement returns the stamp of what it reads, and the rows are used only if that is
 * the current stamp of the primary. The statements after it then read the same state or a newer one. In all other cases the primary is read.
 */
import { pageReads, replicaFallbacks } from '../observability/metrics/replicas.js';
import type { Database, SnapshotTransaction } from './pool.js';
import type { Replica } from './replicas.js';
import type { PreparedText } from './statement.js';

export interface ReplicaRead {
  /** For statements that return their stamp. Others, which may write, are sent to the primary. */
  readonly pages: Database;
  /** For statements that only read, and what the stamp covers. */
  readonly relations: Database;
}

/** @param isCurrent whether this is the current stamp, which was read from the primary after the request arrived */
export function readFromReplica(
  primary: Database,
  replica: Replica | undefined,
  isCurrent: (stamp: string) => boolean,
): ReplicaRead {
  let source: 'undecided' | 'replica' | 'primary' = replica ? 'undecided' : 'primary';
  let ended = 0;
  if (!replica) pageReads.inc({ source: 'primary' });

  const decide = (isVerified: boolean) => {
    source = isVerified ? 'replica' : 'primary';
    pageReads.inc({ source: isVerified && replica ? replica.name : 'primary' });
  };

  const reject = (error: unknown, statement: PreparedText) =>
    replica && replicaFallbacks.inc({ replica: replica.name, reason: replica.reject(error, statement) });

  /** @returns undefined if the statement must be sent to the primary */
  const tryReplica = async (statement: PreparedText, values: readonly unknown[]) => {
    if (!replica) return undefined;
    try {
      return await replica.query<{ stamp?: unknown }>(statement, values);
    } catch (error) {
      reject(error, statement);
      return undefined;
    }
  };

  /** Whether the rows of the first statement are of the current version. */
  const verify = (rows: readonly { stamp?: unknown }[] | undefined): boolean => {
    const stamp = rows?.[0]?.stamp;
    const isVerified = typeof stamp === 'string' && isCurrent(stamp);
    if (rows) {
      replica?.setCurrent(isVerified);
      if (!isVerified) replicaFallbacks.inc({ replica: replica?.name ?? '', reason: 'behind' });
    }
    decide(isVerified);
    return isVerified;
  };

  const readPage = async (statement: PreparedText, values: readonly unknown[]) => {
    ended = replica?.endedConnections ?? 0;
    const rows = await tryReplica(statement, values);
    return verify(rows) ? rows : undefined;
  };

  const readRelation = async (statement: PreparedText, values: readonly unknown[]) => {
    // After a restart the server may be behind its earlier state.
    const rows = replica?.endedConnections === ended ? await tryReplica(statement, values) : undefined;
    if (rows && replica?.endedConnections === ended) return rows;
    source = 'primary';
    return undefined;
  };

  const queryWith =
    (mayRelate: boolean) =>
    async <Row>(statement: PreparedText, values: readonly unknown[]): Promise<Row[]> => {
      let rows: unknown[] | undefined;
      if (source === 'undecided' && statement.returnsStamp) rows = await readPage(statement, values);
      else if (source === 'replica' && mayRelate) rows = await readRelation(statement, values);
      return (rows ?? (await primary.query(statement, values))) as Row[];
    };

  /** A snapshot of the replica, whose first statement is verified; otherwise of the primary. */
  const beginSnapshot = async (): Promise<SnapshotTransaction> => {
    const begun = source === 'undecided' ? await replica?.beginSnapshot().catch(() => undefined) : undefined;
    if (!begun) {
      if (source === 'undecided') decide(false);
      return primary.beginSnapshot();
    }
    let current = begun;
    let isInterrupted = false;
    const readFirst = async (statement: PreparedText, values: readonly unknown[]) => {
      const rows = await current
        .query<{ stamp?: unknown }>(statement, values)
        .catch((error) => void reject(error, statement));
      if (verify(rows ?? undefined)) return rows ?? undefined;
      await current.end();
      current = await primary.beginSnapshot();
      return undefined;
    };
    return {
      query: async <Row>(statement: PreparedText, values: readonly unknown[]) => {
        const first = source === 'undecided' ? await readFirst(statement, values) : undefined;
        if (first) return first as Row[];
        return current.query<Row>(statement, values).catch((error) => {
          if (source === 'replica') {
            reject(error, statement);
            source = 'primary';
            isInterrupted = true;
          }
          throw error;
        });
      },
      end: () => current.end(),
      get isInterrupted() {
        return isInterrupted;
      },
    };
  };

  return {
    pages: { ...primary, query: queryWith(false), beginSnapshot },
    relations: { ...primary, query: queryWith(true) },
  };
}
