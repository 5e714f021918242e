/** The context of one request for the resolvers. */
import { Loaders } from './loaders/index.js';
import type { RequestInfo } from './platform/http/request.js';
import type { Language } from './platform/messages/message.js';
import type { AiCaller } from './services/ai/prompt.js';
import type { Viewer } from './services/auth/policy.js';
import { authenticate } from './services/auth/session.js';
import type { Services } from './services/index.js';
import { databaseClient } from './services/limits/client-task.js';
import type { OperationBudget } from './services/limits/operations.js';
import type { DeferredHtml } from './services/rendering/deferred-html.js';
import { ResponseHtml } from './services/rendering/response-html.js';

export interface Context extends Services, AiCaller {
  readonly loaders: Loaders;
  readonly requestId: string;
  /** The Authorization header as sent, also where the operation ignores it. */
  readonly authorization: string | undefined;
  /** The Sec-Purpose header; empty if absent. */
  readonly purpose: string;
  /** Language of texts that a resolver generates. */
  readonly language: Language;
  readonly budget: OperationBudget;
  readonly html: ResponseHtml;
  /** Collects the HTML that must not be waited for, since a transaction is open; null outside of one. */
  readonly deferredHtml: DeferredHtml | null;
  /** The If-Match header of a request that changes one resource. */
  readonly ifMatch: string | null;
}

/** @throws AppError UNAUTHENTICATED or TOKEN_EXPIRED if the Authorization header is present but invalid */
export async function createContext(services: Services, info: RequestInfo): Promise<Context> {
  const { authorization, client } = info;
  const viewer = authorization === undefined ? null : await authenticate(services, authorization, client);
  return contextFor(services, info, viewer);
}

/** For an authenticated viewer; long-lived connections are closed when the token or the session ends. */
export function contextFor(services: Services, info: RequestInfo, viewer: Viewer | null): Context {
  const { requestId, authorization, client, purpose, language, disconnectSignal } = info;
  const database = services.database.forClient(databaseClient(client, viewer?.memberId));
  return {
    // Listed individually: spreading the object takes V8 microseconds per request.
    config: services.config,
    database,
    log: services.log,
    images: services.images,
    ai: services.ai,
    extractor: services.extractor,
    renderer: services.renderer,
    mailer: services.mailer,
    jwtSecret: services.jwtSecret,
    passwordHasher: services.passwordHasher,
    limits: services.limits,
    hub: services.hub,
    oauthProviders: services.oauthProviders,
    apiTokenUses: services.apiTokenUses,
    spamModel: services.spamModel,
    stampReader: services.stampReader,
    responseCache: services.responseCache,
    idempotencyKeys: services.idempotencyKeys,
    views: services.views,
    stopping: services.stopping,
    requestId,
    authorization,
    client,
    purpose,
    language,
    disconnectSignal,
    viewer,
    loaders: new Loaders(database),
    html: new ResponseHtml(),
    deferredHtml: null,
    ifMatch: null,
    budget: { cost: 0, permits: [] },
  };
}
