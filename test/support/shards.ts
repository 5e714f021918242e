/** Connections that write the same rows of the sums that have a shard by connection, as those of older versions do. */
import pg from 'pg';

/** @param shard 0 to 15 */
export async function connectToShard(connectionString: string, shard: number): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query<{ shard: number }>('select pg_backend_pid() % 16 as shard');
    if (rows[0]?.shard === shard) return client;
    await client.end();
  }
}
