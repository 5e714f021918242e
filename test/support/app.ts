/** The application under test: the complete one, on its own port and the PostgreSQL of the suite. */

import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModel } from '../../src/ai/openai.js';
import { type App, createApp } from '../../src/app.js';
import { loadConfig } from '../../src/config/index.js';
import { migrate } from '../../src/database/migrate.js';
import { migrateJobs } from '../../src/database/migrate-queue.js';
import { type Database, openDatabase } from '../../src/database/pool.js';
import { createHttpServer } from '../../src/http/server.js';
import { openImageStore } from '../../src/images/store.js';
import { models } from '../../src/models/index.js';
import { createLog } from '../../src/observability/log.js';
import type { Services } from '../../src/services.js';

export interface TestApp {
  url: string;
  database: Database;
  services: Services;
  dataDir: string;
  /** All routes of the service. */
  routes: App['routes'];
}

export const JWT_SECRET = 'a secret of the tests, long enough for HS256';

/** A high limit, because the tests register all members from one network. */
export const MANY_REGISTRATIONS = '1000000/1h';

/**
 * Starts the application before the tests of the calling `describe` and stops it after them; the database starts empty.
 * `replaced` overrides individual services.
 */
export function useApp(environment: NodeJS.ProcessEnv = {}, replaced: Partial<Services> = {}): TestApp {
  const app = {} as TestApp;
  let server: Server;
  let built: App;
  before(async () => {
    app.dataDir = await mkdtemp(join(tmpdir(), 'daybook-app-'));
    app.database = await testDatabase();
    const limits = loadConfig(environment).http;
    server = createHttpServer(limits);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    app.services = { ...(await buildServices(app, environment)), ...replaced };
    built = await createApp(app.services);
    built.attach(server);
    app.routes = built.routes;
  });
  after(async () => {
    built.endStreams();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await built.stop();
    await rm(app.dataDir, { recursive: true, force: true });
  });
  return app;
}

let shared: Promise<Database> | undefined;

/** The pool on the migrated database of the suite, with empty tables. Only one, because models are bound to one pool. */
export async function testDatabase(): Promise<Database> {
  shared ??= connect();
  const database = await shared;
  await truncateAll(database);
  return database;
}

async function connect(): Promise<Database> {
  const database = openDatabase(process.env.TEST_DATABASE_URL ?? '', {
    models,
    poolSize: 10,
    statementTimeout: 10_000,
  });
  await migrate(database.sequelize);
  await migrateJobs(database.url);
  return database;
}

export const mochaHooks = {
  afterAll: async () => (await shared)?.close(),
};

export async function truncateAll(database: Database): Promise<void> {
  await database.sequelize.query(`do $$ declare tables text; begin
    select string_agg(format('%I', tablename), ', ') into tables
    from pg_tables where schemaname = 'public' and tablename <> 'migrations';
    execute 'truncate ' || tables || ' restart identity cascade';
    delete from graphile_worker._private_jobs;
  end $$`);
}

async function buildServices({ url, database, dataDir }: TestApp, environment: NodeJS.ProcessEnv): Promise<Services> {
  const own = { DATA_DIR: dataDir, PUBLIC_URL: url, LOG_LEVEL: 'silent', LIMIT_REGISTER: MANY_REGISTRATIONS };
  const config = loadConfig({ ...own, ...environment });
  const images = await openImageStore(config.imageStore);
  const log = createLog(config.logLevel);
  return { config, database, images, log, ai: openModel(config.ai, log), jwtSecret: JWT_SECRET };
}
