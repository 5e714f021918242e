/** The context of one request for the resolvers. */
import { Loaders } from './loaders/index.js';
import { AppError } from './platform/errors.js';
import type { Condition } from './platform/http/if-match.js';
import type { RequestInfo } from './platform/http/request.js';
import type { Language } from './platform/messages/message.js';
import type { AiCaller } from './services/ai/prompt.js';
import type { Viewer } from './services/auth/policy.js';
import { authenticate } from './services/auth/session.js';
import type { Services } from './services/index.js';
import { databaseClient } from './services/limits/client-task.js';
import type { OperationBudget } from './services/limits/operations.js';
import type { DeferredHtml } from './services/rendering/deferred-html.js';
import { asEscaped } from './services/rendering/renderer.js';

export interface Context extends AiCaller {
  /** What the process holds, except what a request has for itself: its database and its limits. */
  readonly services: Omit<Services, 'database' | 'limits'>;
  readonly images: Services['images'];
  readonly log: Services['log'];
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
  /** Of a request that changes one resource. */
  readonly ifMatch: Condition | null;
}

/** Whether HTML is missing in the response because it is not rendered yet. */
class ResponseHtml {
  isProvisional = false;

  /** An article in a list that cannot be rendered at the moment has its escaped text: the other articles are not affected. */
  async orEscaped<Html>(rendering: Promise<Html>, contentOf: () => Promise<string>): Promise<Html | string> {
    try {
      return await rendering;
    } catch (error) {
      if (!(error instanceof AppError && ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(error.key))) throw error;
      this.isProvisional = true;
      return asEscaped(await contentOf()).html;
    }
  }
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
    services,
    config: services.config,
    database,
    log: services.log,
    images: services.images,
    jwtSecret: services.jwtSecret,
    limits: services.limits,
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
