/** Finds the host that accepts writes, of a database URL with several hosts. */
import pg from 'pg';
import { withTimeout } from '../concurrency/timeout.js';

/** SQLSTATE of a write on a standby. */
export const READ_ONLY = '25006';

/** Maximum time for connecting to a host, and maximum time that it takes to respond. */
const TIMEOUT_MS = 5_000;
/** After this time without a response of the last primary, the other hosts are tried at the same time. */
const HEAD_START_MS = 1_000;

/** The last result by the hosts, which is tried first. */
const primaries = new Map<string, string>();
/** Searches in progress, which connections that are opened at the same time share. */
const searches = new Map<string, Promise<string>>();

/**
 * @param urls of one host each
 * @throws the error of one of the hosts if none accepts writes
 */
export function findPrimary(urls: readonly string[]): Promise<string> {
  const key = urls.join();
  const search = searches.get(key) ?? firstWritable(urls, key).finally(() => searches.delete(key));
  searches.set(key, search);
  return search;
}

async function firstWritable(urls: readonly string[], key: string): Promise<string> {
  const last = primaries.get(key) ?? urls[0] ?? '';
  const first = requireWritable(last);
  const found = await withTimeout(
    first.catch(() => undefined),
    HEAD_START_MS,
  );
  const others = () => urls.filter((url) => url !== last).map(requireWritable);
  const primary =
    found ??
    (await Promise.any([first, ...others()]).catch(({ errors }: AggregateError): never => {
      throw errors.at(-1);
    }));
  primaries.set(key, primary);
  return primary;
}

/** @returns the URL if its host accepts writes */
async function requireWritable(connectionString: string): Promise<string> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const client = new pg.Client({ connectionString, application_name: 'daybook', ...timeouts });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ mode: string }>(`select current_setting('transaction_read_only') as mode`);
    if (rows[0]?.mode === 'off') return connectionString;
  } finally {
    client.end().catch(() => {});
  }
  throw Object.assign(new Error('none of the hosts accepts writes'), { code: READ_ONLY });
}
