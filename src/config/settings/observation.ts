/** Settings of logs and metrics. */
import { oneOf, secret } from '../values.js';
import { group } from './group.js';

export const observationSettings = group('Logs and metrics', {
  LOG_LEVEL: oneOf(
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  )({
    default: 'info',
    desc: 'one of fatal, error, warn, info, debug, trace, silent',
    about: '`info` is one JSON line a request, without personal data.',
  }),
  METRICS_TOKEN: secret({
    default: '',
    otherwise: 'none: `/metrics` is off, or for programs on this machine where `PUBLIC_URL` is local',
    desc: 'at least 32 characters',
    about: 'What a scraper of `/metrics` must send as a bearer token.',
    isSecret: true,
  }),
});
