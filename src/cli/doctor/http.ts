/** Checks of `daybook doctor` for the HTTP server: its public address, whether it can listen on its host and port, and access to `/metrics`. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isLoopback } from '../../platform/config/addresses.js';
import type { Config } from '../../platform/config/index.js';
import { isDaybook } from '../../platform/http/listen.js';
import { isMetricsOff } from '../../routes/metrics.js';
import { type Finding, failure, note, ok, warning } from './finding.js';

const ADDRESS = 'Address';

export function checkAddress({ publicUrl }: Config): Finding {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return ok(ADDRESS, `PUBLIC_URL is ${publicUrl}.`);
  return warning(
    ADDRESS,
    `PUBLIC_URL is ${publicUrl}: passwords and tokens are sent without encryption.`,
    'Put a proxy with a certificate in front of the service (docs/deploy.md), and set PUBLIC_URL to its https address.',
  );
}

const PORT = 'Port';

export async function checkPort({ host, port }: Config): Promise<Finding> {
  if (port === 0) return ok(PORT, 'A free port is chosen at startup.');
  const code = await tryToListen(host, port);
  if (code === undefined) return ok(PORT, `${port} is free.`);
  if (code === 'EADDRINUSE') {
    if (await isDaybook(host, port)) return ok(PORT, `${port} is in use by a running Daybook service.`);
    return failure(PORT, `${port} is in use by another program.`, 'Stop that program, or set PORT to another one.');
  }
  if (code === 'EACCES')
    return failure(PORT, `This user is not permitted to listen on port ${port}.`, 'Set PORT to 1024 or higher.');
  return failure(
    PORT,
    `${host} is not an address of this machine (${code}).`,
    'Set HOST to an address of this machine, or to 0.0.0.0.',
  );
}

/** @returns the error code, such as EADDRINUSE; undefined on success */
async function tryToListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

const METRICS = 'Metrics';

export function checkMetrics(config: Config): Finding {
  if (config.metricsToken !== null) return ok(METRICS, '/metrics requires METRICS_TOKEN.');
  if (isMetricsOff(config))
    return note(METRICS, '/metrics is disabled, since PUBLIC_URL is not local. Set METRICS_TOKEN to enable it.');
  return ok(METRICS, '/metrics is available to loopback clients.');
}
