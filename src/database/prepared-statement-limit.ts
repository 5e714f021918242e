/** Limits the prepared statements per connection: PostgreSQL stores each with its plan until the connection ends. */
import type pg from 'pg';
import { fixedLimit } from '../config/fixed-limit.js';
import type { ObservedClient } from './observed-client.js';

/** A plan takes up to 200 kB. Clients that use few combinations of filters and orders need fewer statements. */
const MAX_COMPOSED_STATEMENTS = fixedLimit({
  area: 'Database',
  about:
    'Prepared statements for lists (by filter, order and selection) on each connection to PostgreSQL. The least recently used one is deallocated.',
  value: 32,
  unit: 'count',
  error: null,
});

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
