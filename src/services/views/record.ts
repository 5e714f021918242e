/** Which views are counted: those of readers, and not of robots, prefetches and authors. */
import type { ClientInfo } from '../../platform/http/request.js';
import { signedMemberId, type TokenKeys } from '../auth/session.js';
import type { ViewCounter } from './counter.js';

/** The part of a request's context that tells who views an article. */
interface Visit extends TokenKeys {
  readonly services: { readonly views: ViewCounter };
  readonly client: ClientInfo;
  readonly viewer: { readonly memberId: number } | null;
  /** The Authorization header as sent. */
  readonly authorization: string | undefined;
  /** The Sec-Purpose header; empty if absent. */
  readonly purpose: string;
}

/**
 * Names of robots and of HTTP libraries; most robots also have the address of a page about them in their user agent. It need not be complete: robots that
 * run no scripts send no views. (Cubot is a brand of telephones.)
 */
const ROBOT =
  /https?:|(?<!cu)bot|crawl|spider|slurp|scrap|preview|headless|lighthouse|monitor|curl\/|wget|python|java\/|go-http|libwww|axios|undici|\bnode/i;

/** Without a statement: whether the article exists, is public, and belongs to the member of the token is checked when the views are written. */
export function recordView(visit: Visit, articleId: string): void {
  const { client, purpose, viewer, authorization } = visit;
  const id = /^[1-9]\d*$/.test(articleId) ? Number(articleId) : Number.NaN;
  if (!Number.isSafeInteger(id) || /prefetch/i.test(purpose)) return;
  if (client.device === '' || ROBOT.test(client.device)) return;
  visit.services.views.record(id, viewer?.memberId ?? signedMemberId(visit, authorization), client);
}
