/** The caller of a request: the part of its context that authentication and authorization use. */
import type { Config } from '../config/index.js';
import type { Database } from '../database/pool.js';
import type { QueuedRequest } from '../limits/client-task.js';
import type { Limits } from '../limits/limits.js';
import type { Providers } from './oauth/providers.js';

/** The member on whose behalf a request runs. */
export interface Viewer {
  readonly memberId: number;
  readonly sessionId: string;
  /** Expiry of the access token, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The part of a request's context that authentication reads. */
export interface Caller extends QueuedRequest {
  readonly config: Config;
  readonly database: Database;
  /** Key for signing tokens. */
  readonly jwtSecret: string;
  readonly oauthProviders: Providers;
  /** Null for an unauthenticated request. */
  readonly viewer: Viewer | null;
  readonly limits: Limits;
}
