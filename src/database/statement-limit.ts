/** Bounds the prepared statements of a connection: PostgreSQL keeps each of them with its plan until the connection ends. */
import type pg from 'pg';
import { fixedLimit } from '../config/limit.js';
import type { ObservedClient } from './observed-client.js';

/** A plan takes up to 200 kB. All lists of the REST API together need about as many statements. */
const MAX_COMPOSED_STATEMENTS = fixedLimit({
  area: 'Database',
  about:
    'Prepared statements of lists, by filter, order and selection, that each connection to PostgreSQL keeps. The least recently used one is dropped.',
  value: 50,
  unit: 'count',
  error: null,
});

/** Names by connection, the least recently used first. */
const namesByClient = new WeakMap<pg.Client, Set<string>>();

/** To be called before a composed statement is sent: drops another one where the connection has too many. */
export async function makeRoomFor(name: string, client: ObservedClient): Promise<void> {
  const names = namesByClient.get(client) ?? new Set();
  namesByClient.set(client, names);
  names.delete(name);
  names.add(name);
  const [oldest] = names;
  if (names.size <= MAX_COMPOSED_STATEMENTS || oldest === undefined) return;
  names.delete(oldest);
  await client.deallocate(oldest);
}
