/** Limits the prepared statements per connection: PostgreSQL stores each with its plan until the connection ends. */
import type pg from 'pg';
import type { ObservedClient } from './observed-client.js';

/**
 * Prepared statements whose text depends on the request, such as those of lists, on each connection. A plan takes up to 200 kB. Clients that use few
 * combinations of filters and orders need fewer statements.
 */
const MAX_COMPOSED_STATEMENTS = 24;

/** Statement names by connection, the least recently used first. */
const namesByClient = new WeakMap<pg.Client, Set<string>>();

/** Must be called before a composed statement is sent: deallocates the least recently used one if the connection has too many. */
export async function evictLeastRecentlyUsed(name: string, client: ObservedClient): Promise<void> {
  const names = namesByClient.get(client) ?? new Set();
  namesByClient.set(client, names);
  names.delete(name);
  names.add(name);
  const [oldest] = names;
  if (names.size <= MAX_COMPOSED_STATEMENTS || oldest === undefined) return;
  names.delete(oldest);
  await client.deallocate(oldest);
}
