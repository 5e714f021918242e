/** DataLoader factories: one row by key, rows grouped by key, and any batch function of a model. Results are in key order. */
import DataLoader from 'dataloader';

/** Loads the row whose `id` is the key; null if there is none. */
export function byId<Row extends { id: number }>(
  fetch: (ids: readonly number[]) => Promise<Row[]>,
): DataLoader<number, Row | null> {
  return new DataLoader(async (ids) => {
    const rows = new Map((await fetch(ids)).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id) ?? null);
  });
}

/** Loads the rows that belong to the key, in the order of the fetched rows. */
export function groupedBy<Row>(
  fetch: (keys: readonly number[]) => Promise<Row[]>,
  keyOf: (row: Row) => number | null,
): DataLoader<number, Row[]> {
  return new DataLoader(async (keys) => {
    const groups = new Map<number | null, Row[]>(keys.map((key) => [key, []]));
    for (const row of await fetch(keys)) groups.get(keyOf(row))?.push(row);
    return keys.map((key) => groups.get(key) ?? []);
  });
}

/** Loads the results of a batch function, which returns one per key in key order. */
export function inBatches<Found>(find: (keys: readonly number[]) => Promise<Found[]>): DataLoader<number, Found> {
  return new DataLoader(find);
}
