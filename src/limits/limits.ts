/** The limits of the application. They count refusals, not use; writes alone have a cap, a generous one. */
import type { Services } from '../services.js';
import { type Limiter, postgresLimiter } from './limiter.js';

export interface Limits {
  /** Failed logins to one account from one network. */
  readonly loginPair: Limiter;
  /** Failed logins from one network, to whatever accounts. */
  readonly loginAddress: Limiter;
  /** Failed logins to one account, from wherever. */
  readonly loginAccount: Limiter;
  /** Refused refresh tokens from one network. */
  readonly refresh: Limiter;
  /** Refused social logins from one network. */
  readonly social: Limiter;
  /** Wrong current passwords given by one member. */
  readonly password: Limiter;
  /** Mutations of one member. */
  readonly writes: Limiter;
}

const known = new WeakMap<Services, Limits>();

/** Built once for the services of a process. */
export function limitsOf(services: Services): Limits {
  const limits = known.get(services) ?? buildLimits(services);
  known.set(services, limits);
  return limits;
}

function buildLimits({ database, config: { limits } }: Services): Limits {
  return {
    loginPair: postgresLimiter(database, 'login-pair', limits.loginPair),
    loginAddress: postgresLimiter(database, 'login-address', limits.loginAddress),
    loginAccount: postgresLimiter(database, 'login-account', limits.loginAccount),
    refresh: postgresLimiter(database, 'refresh', limits.refresh),
    social: postgresLimiter(database, 'social', limits.refresh),
    password: postgresLimiter(database, 'password', limits.loginPair),
    writes: postgresLimiter(database, 'writes', limits.writes),
  };
}
