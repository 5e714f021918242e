/** The connections of graphile-worker, with corrections of how it handles those that are lost. */
import pg from 'pg';
import { BoundedClient, type BoundedConfig } from './bounded-client.js';

/** graphile-worker releases the connection that listens for jobs twice where it stops before `LISTEN` fails: the error of pg would end the process. */
class QueuePool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's connect are kept unchanged.
  override connect(callback?: any): any {
    if (!callback) return super.connect();
    super.connect((error, client, release) => {
      let isReleased = false;
      callback(error, client, (failure?: Error | boolean) => {
        // Absent where the pool has ended.
        if (!isReleased) release?.(failure);
        isReleased = true;
      });
    });
  }
}

/**
 * Errors of lost connections have no code: graphile-worker repeats a statement that fails with ETIMEDOUT, and does not run the job that the first one
 * may have locked.
 * @param max number of connections
 */
export function openQueuePool(config: BoundedConfig, max: number): pg.Pool {
  class Client extends BoundedClient {
    constructor() {
      super(config);
    }
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query are kept unchanged.
    override query(...args: any[]): any {
      const result: unknown = Reflect.apply(super.query, this, args);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: Error) => {
        throw error instanceof pg.DatabaseError ? error : new Error(error.message, { cause: error });
      });
    }
  }
  const pool = new QueuePool({ max, Client });
  // Without a listener, the loss of an idle connection would end the process. The next use opens another one, or reports the error.
  pool.on('error', () => {});
  return pool;
}

/**
 * graphile-worker runs the statements of its schedule with `query` of the pool, and nothing else, and leaves their rejection unhandled, which would
 * end the process. A rejected one returns no rows instead.
 * @param onError has to replace the runner: the next one adds the occurrences that were missed
 */
export function catchScheduleErrors(pool: pg.Pool, onError: (error: Error) => void): void {
  const query: (text: string, values?: unknown[]) => Promise<Pick<pg.QueryResult, 'rows'>> = pool.query.bind(pool);
  const caught: typeof query = (text, values) =>
    query(text, values).catch((error: Error) => {
      onError(error);
      return { rows: [] };
    });
  Object.assign(pool, { query: caught });
}
