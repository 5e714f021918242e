/** Entry point of the process: configuration, database, application, listening, and graceful shutdown. */
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Koa from 'koa';
import './node-env.js';
import { type Config, loadConfig } from './config/index.js';
import { loadSecrets } from './config/secrets.js';
import { AppError } from './errors.js';
import { respondWithError } from './http/error-response.js';
import { createHttpServer } from './http/server.js';
import { createMessage } from './messages/message.js';
import type { Connected } from './models/connect.js';
import { isMetricsOff } from './routes/metrics.js';

/** Grace period in milliseconds for running requests; stopping the database needs a part of `STOP_TIMEOUT_MS` too. */
const GRACE = 4_000;
/** For the whole stop after SHUTDOWN_DELAY, whatever the database does. docs/deploy.md promises ten seconds. */
const STOP_TIMEOUT_MS = 9_500;

const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  await start(loadConfig());
} catch (error) {
  const { message, stack } = error as Error;
  process.stderr.write(`Daybook cannot start. ${message}\n`);
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${stack}\n`);
  process.exit(1);
}

/**
 * Binds the port first, so that a second server process fails before it accesses the database. Most modules are loaded after
 * that: invalid settings are reported at once, and requests during the startup have a response.
 */
async function start(config: Config): Promise<void> {
  const stopWith = listenForSignals(config.shutdownDelayMs + STOP_TIMEOUT_MS);
  const answerNotReady = notReady();
  const server = createHttpServer(config.http, answerNotReady);
  await listen(server, config);
  const { connectDatabase } = await import('./models/connect.js');
  const connected = await connectDatabase(config, print, config.databaseLimits).catch((error) => {
    server.close();
    throw error;
  });
  const built = await build(config, connected);
  server.off('request', answerNotReady);
  built.app.attach(server);
  announce(server, config);
  stopWith(() => stop(server, built, connected, config.shutdownDelayMs));
}

type Process = Awaited<ReturnType<typeof build>>;

async function build(config: Config, { database, close }: Connected) {
  try {
    const [{ createApp }, { startJobs }, { openServices }] = await Promise.all([
      import('./app.js'),
      import('./jobs/runner.js'),
      import('./services.js'),
    ]);
    const jwtSecret = config.jwtSecret ?? (await loadSecrets(config.dataDir)).jwtSecret;
    const services = await openServices({ config, database, jwtSecret });
    return { services, app: await createApp(services), jobs: await startJobs(services) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Responds with SERVICE_UNAVAILABLE in the error envelope until the application is built. */
function notReady(): RequestListener {
  const koa = new Koa();
  koa.use((ctx) =>
    respondWithError(
      ctx,
      new AppError('SERVICE_UNAVAILABLE', { message: createMessage('serviceStarting'), retryAfter: 1 }),
    ),
  );
  return koa.callback();
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(listenErrorText(error, host, port))));
    server.listen(port, host, resolve);
  });
}

function listenErrorText({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} is in use by another program: stop it, or set PORT to another port.`;
  if (code === 'EACCES') return `This user is not permitted to listen on port ${port}: set PORT to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST must be an address of this machine, not "${host}".`;
  return message;
}

function announce(server: Server, config: Config): void {
  const { publicUrl, port } = config;
  const { port: actual } = server.address() as AddressInfo;
  const url = port === 0 ? `http://localhost:${actual}` : publicUrl;
  print(`Daybook is ready.
  Explorer   ${url}/graphiql
  GraphQL    ${url}/graphql
  Reference  ${url}/docs
  REST       ${url}/api
  Process    ${process.pid}`);
  if (isMetricsOff(config))
    print('/metrics is disabled, since PUBLIC_URL is not local: set METRICS_TOKEN to enable it.');
}

/**
 * Registers handlers for SIGTERM and SIGINT. A signal during startup takes effect when startup is complete, so that no
 * embedded database is left running; a second signal exits immediately.
 *
 * @param timeoutMs after which the process exits in any case
 * @returns a function to register the shutdown function when startup is complete
 */
function listenForSignals(timeoutMs: number): (stop: () => Promise<void>) => void {
  let started: (stop: () => Promise<void>) => void = () => {};
  const stopping = new Promise<() => Promise<void>>((resolve) => {
    started = resolve;
  });
  let isStopping = false;
  const end = async (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    print(`${signal}: stopping.`);
    setTimeout(() => {
      process.stderr.write(`Stopping takes longer than ${timeoutMs / 1000} seconds: exiting without waiting for it.\n`);
      process.exit(1);
    }, timeoutMs).unref();
    try {
      await (await stopping)();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`${(error as Error).stack}\n`);
      process.exit(1);
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return started;
}

/**
 * Reports that it is not ready and closes connections after their next response, and after the delay: closes streams, stops
 * accepting requests and jobs, finishes running ones, closes the pool, and stops the database.
 */
async function stop(
  server: Server,
  { services, app, jobs }: Process,
  { close }: Connected,
  delayMs: number,
): Promise<void> {
  services.announceStop();
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  if (delayMs > 0) await delay(delayMs);
  services.hub.stop();
  await Promise.all([closeServer(server), jobs.stop()]);
  await app.stop();
  await services.close();
  await close();
}

/** Closes keep-alive connections as soon as their last response has been sent, and all connections after GRACE. */
function closeServer(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const force = setTimeout(() => server.closeAllConnections(), GRACE);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(idle);
      clearTimeout(force);
      resolve();
    });
  });
}
