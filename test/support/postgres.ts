/** The PostgreSQL server of a test run: started once in its own folder, and deleted afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded.js';

/** Global mocha fixtures, run once. The tests receive the database URL through the environment. */
export async function mochaGlobalSetup(this: { stop?: () => Promise<void> }): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-test-'));
  const { url, stop } = await startEmbeddedPostgres({ dataDir, password: 'only-for-the-tests' });
  process.env.TEST_DATABASE_URL = url;
  process.env.TEST_DATABASE_LOG = join(dataDir, 'postgres.log');
  this.stop = async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

export async function mochaGlobalTeardown(this: { stop?: () => Promise<void> }): Promise<void> {
  await this.stop?.();
}
