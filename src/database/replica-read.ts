/**
 * The reads of one response from a replica, verified: its first statement returns the stamp of what it reads, and the rows are used only if that is
 * the current stamp of the primary. The statements after it then read the same state or a newer one. In all other cases the primary is read.
 */
import { pageReads, replicaFallbacks } from '../observability/metrics/replicas.js';
import type { Database } from './pool.js';
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

  /** @returns undefined if the statement must be sent to the primary */
  const tryReplica = async (statement: PreparedText, values: readonly unknown[]) => {
    if (!replica) return undefined;
    try {
      return await replica.query<{ stamp?: unknown }>(statement, values);
    } catch (error) {
      replicaFallbacks.inc({ replica: replica.name, reason: replica.reject(error, statement) });
      return undefined;
    }
  };

  const readPage = async (statement: PreparedText, values: readonly unknown[]) => {
    ended = replica?.endedConnections ?? 0;
    const rows = await tryReplica(statement, values);
    const stamp = rows?.[0]?.stamp;
    const isVerified = typeof stamp === 'string' && isCurrent(stamp);
    if (rows) {
      replica?.setCurrent(isVerified);
      if (!isVerified) replicaFallbacks.inc({ replica: replica?.name ?? '', reason: 'behind' });
    }
    decide(isVerified);
    return isVerified ? rows : undefined;
  };

  const readRelation = async (statement: PreparedText, values: readonly unknown[]) => {
    // After a restart the server may be behind its earlier state.
    const rows = replica?.endedConnections === ended ? await tryReplica(statement, values) : undefined;
    if (rows && replica?.endedConnections === ended) return rows;
    source = 'primary';
    return undefined;
  };

  const queryWith = (mayRelate: boolean) =>
    (async (statement, values, transaction) => {
      let rows: unknown[] | undefined;
      if (!transaction && source === 'undecided' && statement.returnsStamp) rows = await readPage(statement, values);
      else if (!transaction && source === 'replica' && mayRelate) rows = await readRelation(statement, values);
      return rows ?? primary.query(statement, values, transaction);
    }) as Database['query'];

  return { pages: { ...primary, query: queryWith(false) }, relations: { ...primary, query: queryWith(true) } };
}
