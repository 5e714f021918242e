/** The application under test: the complete one, on its own port and the PostgreSQL of the suite. */
import type { Server } from 'node:http';
import { config as chaiConfig } from 'chai';
import { type App, createApp } from '../../src/app.js';
import { loadConfig } from '../../src/platform/config/index.js';
import type { Database } from '../../src/platform/database/pool.js';
import { createHttpServer } from '../../src/platform/http/server.js';
import { FastHistogram } from '../../src/platform/observability/metrics/histogram.js';
import { registry } from '../../src/platform/observability/metrics/registry.js';
import { PasswordHasher } from '../../src/services/auth/password.js';
import { type OpenServices, openServices, type Services } from '../../src/services/index.js';
import { RenderingBudget } from '../../src/services/rendering/budget.js';
import { Renderer } from '../../src/services/rendering/renderer.js';
import { testDatabase } from './database.js';
import { services } from './direct-member.js';
import { makeFolder } from './folder.js';
import { closeServer, listen } from './server.js';

// Failures of list assertions show their elements.
chaiConfig.truncateThreshold = 2_000;

export interface TestApp {
  url: string;
  database: Database;
  services: OpenServices;
  dataDir: string;
  /** All routes of the service. */
  routes: App['routes'];
}

type Replaced = Partial<Pick<Services, 'database' | 'log' | 'ai' | 'mailer' | 'passwordHasher'>>;

/** argon2id with its lowest cost: with that of the service, hashing takes an eighth of the processor time of the mocha processes. */
const passwordHasher = new PasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 });

/** One thread for all applications of a process: its start takes 0.12 s. The rendering time is that of each. */
class SharedRenderer extends Renderer {
  override async stop(): Promise<void> {}
}

const renderer = new SharedRenderer();

export const JWT_SECRET = 'a secret of the tests, long enough for HS256';

/** A high limit, because the tests register all members from one network. */
export const MANY_REGISTRATIONS = '1000000/1h';

/**
 * Starts the application before the tests of the calling `describe` and stops it after them; the database starts empty.
 * `replaced` overrides individual services.
 */
export function useApp(environment: NodeJS.ProcessEnv = {}, replaced: Replaced = {}): TestApp {
  const app = {} as TestApp;
  let server: Server;
  let built: App;
  before(async () => {
    // With the series of former files, a scrape would take ten times as long.
    for (const metric of registry.getMetricsAsArray() as object[]) if (metric instanceof FastHistogram) metric.reset();
    app.dataDir = await makeFolder();
    app.database = await testDatabase();
    const limits = loadConfig(environment).http;
    server = createHttpServer(limits);
    // A busy machine may stop this process for longer than the usual 5 s: it would close idle connections while `fetch` uses them again.
    server.keepAliveTimeout = 60_000;
    app.url = `http://127.0.0.1:${await listen(server)}`;
    Object.assign(renderer, { budget: new RenderingBudget() });
    app.services = await buildServices(app, environment, replaced);
    built = await createApp(app.services);
    built.attach(server);
    app.routes = built.routes;
    services.set(app.url, app.services);
  });
  after(async () => {
    services.delete(app.url);
    app.services.hub.stop();
    await closeServer(server);
    await built.stop();
    await app.services.close();
  });
  return app;
}

function buildServices(
  { url, database, dataDir }: TestApp,
  environment: NodeJS.ProcessEnv,
  replaced: Replaced,
): Promise<OpenServices> {
  const own = {
    DATA_DIR: dataDir,
    PUBLIC_URL: url,
    LOG_LEVEL: 'silent',
    LIMIT_REGISTER: MANY_REGISTRATIONS,
    LIMIT_RECOVERY: MANY_REGISTRATIONS,
  };
  const config = loadConfig({ ...own, ...environment });
  return openServices({ config, database, jwtSecret: JWT_SECRET, passwordHasher, renderer, ...replaced });
}
