/** The limits of the application. They count refusals, not use; registrations and writes have a cap, and AI a daily budget. */
import ms from 'ms';
import { say } from '../messages/message.js';
import type { Services } from '../services.js';
import type { Limiter } from './limiter.js';
import { OperationLimits } from './operations.js';
import { Places } from './places.js';
import { type LimitStore, openLimitStore } from './store.js';

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
  /** Attempts to create an account from one network. */
  readonly register: Limiter;
  /** Mutations of one member. */
  readonly writes: Limiter;
  /** What one member asked of AI on one day. */
  readonly ai: Limiter;
  /** What one member is asking of AI right now. */
  readonly aiPlaces: Places;
  /** Expensive GraphQL and REST operations. */
  readonly operations: OperationLimits;
}

/** Of one member, in one process. */
const AI_CALLS_AT_ONCE = 3;

interface OpenLimits {
  limits: Limits;
  store: LimitStore;
}

const known = new WeakMap<Services, OpenLimits>();

/** Built once for the services of a process. */
export function limitsOf(services: Services): Limits {
  const open = known.get(services) ?? openLimits(services);
  known.set(services, open);
  return open.limits;
}

/** Gives up the connection that they may hold. */
export async function closeLimits(services: Services): Promise<void> {
  await known.get(services)?.store.close();
  known.delete(services);
}

function openLimits(services: Services): OpenLimits {
  const store = openLimitStore(services);
  const { limits } = services.config;
  return {
    store,
    limits: {
      loginPair: store.limiter('login-pair', limits.loginPair),
      loginAddress: store.limiter('login-address', limits.loginAddress),
      loginAccount: store.limiter('login-account', limits.loginAccount),
      refresh: store.limiter('refresh', limits.refresh),
      social: store.limiter('social', limits.refresh),
      password: store.limiter('password', limits.loginPair),
      register: store.limiter('register', limits.register),
      writes: store.limiter('writes', limits.writes),
      ai: store.limiter('ai', { points: services.config.aiDailyBudget, duration: ms('1d') }),
      aiPlaces: new Places(AI_CALLS_AT_ONCE, 'AI requests at once', (most) => say('aiTooManyRunning', most)),
      operations: new OperationLimits(services.config.graphqlLimits),
    },
  };
}
