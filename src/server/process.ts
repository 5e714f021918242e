/** What the process of a single server and the primary process of several workers share: announcement, failed start, signals. */
import './node-env.js';
import { onStopSignals } from '../platform/concurrency/stop-signals.js';
import type { Config } from '../platform/config/index.js';
import { isMetricsOff } from '../routes/metrics.js';

export const print = (line: string) => void process.stdout.write(`${line}\n`);

/** @param workers the number of worker processes; null if this process is the server */
export function announce({ publicUrl, port, metricsToken }: Config, actualPort: number, workers: number | null): void {
  const url = port === 0 ? `http://localhost:${actualPort}` : publicUrl;
  print(`Daybook is ready.
  Front page ${url}/
  Explorer   ${url}/graphiql
  GraphQL    ${url}/graphql
  Reference  ${url}/docs
  REST       ${url}/api/articles
  Process    ${process.pid}`);
  if (workers !== null) print(`  Workers    ${workers}`);
  if (isMetricsOff({ publicUrl, metricsToken }))
    print('/metrics is disabled, since PUBLIC_URL is not local: set METRICS_TOKEN to enable it.');
}

export function exitAfterFailedStart(error: unknown): never {
  const { message, stack } = error as Error;
  process.stderr.write(`Daybook cannot start. ${message}\n`);
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${stack}\n`);
  process.exit(1);
}

/** For the whole stop after SHUTDOWN_DELAY, whatever the database does. The ten seconds are documented in docs/deploy.md. */
const STOP_TIMEOUT_MS = 9_500;

/** On SIGTERM or SIGINT, calls `stop` and exits when it is done, or takes too long. A later request exits immediately. */
export function stopOnSignal(shutdownDelayMs: number, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  const end = async (signal: NodeJS.Signals) => {
    const timeoutMs = shutdownDelayMs + STOP_TIMEOUT_MS;
    setTimeout(() => {
      process.stderr.write(`Stopping takes longer than ${timeoutMs / 1000} seconds: exiting without waiting for it.\n`);
      process.exit(1);
    }, timeoutMs).unref();
    try {
      await stop(signal);
      process.exit(0);
    } catch (error) {
      process.stderr.write(`${(error as Error).stack}\n`);
      process.exit(1);
    }
  };
  onStopSignals({ stop: end, force: () => process.exit(1) });
}
