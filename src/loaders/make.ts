/** DataLoader factories: one row by key, rows as a member sees them, and any batch function of a model. Results are in key order. */
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

/** A resource, and the member who sees it; 0: everyone. */
export interface ViewerKey {
  readonly id: number;
  readonly viewerId: number;
}

/** Loads the rows that belong to the resource, as the member sees them, in the order of the fetched rows. */
export function forViewer<Row extends { keyId: number; viewerId: number | null }>(
  fetch: (ids: readonly number[], viewerIds: readonly number[]) => Promise<Row[]>,
): DataLoader<ViewerKey, Row[], string> {
  const textOf = (id: number, viewerId: number | null) => `${id} ${viewerId}`;
  return new DataLoader(
    async (keys) => {
      const groups = new Map<string, Row[]>(keys.map(({ id, viewerId }) => [textOf(id, viewerId), []]));
      const ids = keys.map(({ id }) => id);
      const viewerIds = keys.map(({ viewerId }) => viewerId);
      for (const row of await fetch(ids, viewerIds)) groups.get(textOf(row.keyId, row.viewerId))?.push(row);
      return keys.map(({ id, viewerId }) => groups.get(textOf(id, viewerId)) ?? []);
    },
    { cacheKeyFn: ({ id, viewerId }) => textOf(id, viewerId) },
  );
}

/** Loads the results of a batch function, which returns one per key in key order. */
export function inBatches<Found>(find: (keys: readonly number[]) => Promise<Found[]>): DataLoader<number, Found> {
  return new DataLoader(find);
}
