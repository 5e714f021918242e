/** Who sends a request, as authentication knows them. */
import type { QueuedRequest } from '../limits/client-task.js';
import type { Limits } from '../limits/limits.js';
import type { Services } from '../services.js';

/** The member on whose behalf a request runs. */
export interface Viewer {
  readonly memberId: number;
  readonly sessionId: string;
  /** When the access token expires, in milliseconds. */
  readonly expiresAt: number;
}

/** The part of a request's context that authentication reads. */
export interface Caller extends Services, QueuedRequest {
  /** Null without authentication. */
  readonly viewer: Viewer | null;
  readonly limits: Limits;
}
