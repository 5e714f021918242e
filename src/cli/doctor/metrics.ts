/** Check of `daybook doctor`: access to `/metrics`. */
import type { Config } from '../../config/index.js';
import { isMetricsOff } from '../../routes/metrics.js';
import { type Finding, note, ok } from './finding.js';

const METRICS = 'Metrics';

export function checkMetrics(config: Config): Finding {
  if (config.metricsToken !== null) return ok(METRICS, '/metrics requires METRICS_TOKEN.');
  if (isMetricsOff(config))
    return note(METRICS, '/metrics is disabled, since PUBLIC_URL is not local. Set METRICS_TOKEN to enable it.');
  return ok(METRICS, '/metrics is available to loopback clients.');
}
