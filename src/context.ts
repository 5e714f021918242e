/** What one request carries through the resolvers. */
import { authenticate } from './auth/session.js';
import { Loaders } from './loaders/index.js';
import type { Services } from './services.js';

/** The member on whose behalf a request runs. */
export interface Viewer {
  readonly memberId: number;
  readonly sessionId: string;
}

export interface Context extends Services {
  readonly viewer: Viewer | null;
  readonly loaders: Loaders;
  readonly requestId: string;
}

/** What the transport knows of a request. */
export interface RequestFacts {
  requestId: string;
  /** The Authorization header as it came. */
  authorization: string | undefined;
}

/** @throws AppError UNAUTHENTICATED or TOKEN_EXPIRED where a token is present but bad. */
export async function createContext(services: Services, { requestId, authorization }: RequestFacts): Promise<Context> {
  const viewer = authorization === undefined ? null : await authenticate(services, authorization);
  return { ...services, requestId, viewer, loaders: new Loaders(services.database) };
}
