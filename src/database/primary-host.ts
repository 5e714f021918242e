/** Finds the host that accepts writes, of a database URL with several hosts. */
import pg from 'pg';

/** SQLSTATE of a write on a standby. */
export const READ_ONLY = '25006';

/** For connecting to one host, and for its response. */
const TIMEOUT_MS = 5_000;

/** The last result by the hosts, which is tried first. */
const primaries = new Map<string, string>();
/** Searches in progress, which connections that are opened at the same time share. */
const searches = new Map<string, Promise<string>>();

/**
 * @param urls of one host each
 * @throws the error of the last host if none accepts writes
 */
export function findPrimary(urls: readonly string[]): Promise<string> {
  const key = urls.join();
  const search = searches.get(key) ?? firstWritable(urls, key).finally(() => searches.delete(key));
  searches.set(key, search);
  return search;
}

async function firstWritable(urls: readonly string[], key: string): Promise<string> {
  const last = primaries.get(key);
  let failure: unknown;
  for (const url of new Set([...(last === undefined ? [] : [last]), ...urls])) {
    try {
      if (await acceptsWrites(url)) {
        primaries.set(key, url);
        return url;
      }
      failure = Object.assign(new Error('none of the hosts accepts writes'), { code: READ_ONLY });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function acceptsWrites(connectionString: string): Promise<boolean> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const client = new pg.Client({ connectionString, application_name: 'daybook', ...timeouts });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ mode: string }>(`select current_setting('transaction_read_only') as mode`);
    return rows[0]?.mode === 'off';
  } finally {
    client.end().catch(() => {});
  }
}
