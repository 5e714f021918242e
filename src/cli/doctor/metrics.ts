/** Check of `daybook doctor`: access to `/metrics`. */
import type { Config } from '../../config/index.js';
import { isMetricsOff } from '../../routes/metrics.js';
import { type Finding, note, ok } from './finding.js';

const METRICS = 'Metrics';

export function checkMetrics(config: Config): Finding {
  if (config.metricsToken !== null) return ok(METRICS, '/metrics needs METRICS_TOKEN.');
  if (isMetricsOff(config))
    return note(METRICS, '/metrics is off, since PUBLIC_URL is not local. Set METRICS_TOKEN to switch it on.');
  return ok(METRICS, 'Programs on this machine can read /metrics.');
}
