/** Sessions (refresh, list, end) and the audit trail of the account. */
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import {
  COUNT_MEMBER_EVENTS,
  type EventKind,
  MAX_EVENTS_PER_KIND,
  MEMBER_EVENTS,
} from '../models/session/security-event.js';
import {
  END_OTHER_SESSIONS,
  END_SESSION,
  MAX_SESSIONS,
  MEMBER_SESSIONS,
  type SessionRow,
} from '../models/session/session.js';
import { AppError } from '../platform/errors.js';
import { networkOf } from '../platform/http/client-address.js';
import {
  AuthorizedMutation,
  AuthorizedQuery,
  RefreshArgs,
  SecurityEventPage,
  SessionIdArgs,
  SessionType,
  TokenIgnored,
  Tokens,
  WhileSuspended,
} from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { MaxItems } from '../schema/response-limits.js';
import { securityEvents } from '../services/auth/audit.js';
import { type Viewer, viewerOf } from '../services/auth/policy.js';
import { refreshSession, type TokenPair } from '../services/auth/session.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { requireRow } from './row.js';

@Resolver()
export class SessionResolver {
  @IdempotencyKey('ignored: secret')
  @TokenIgnored()
  @Mutation(() => Tokens, {
    description: 'Exchanges a refresh token for a new pair of tokens, and retires it (refresh token rotation).',
  })
  refreshTokens(@Args(() => RefreshArgs) { refreshToken }: RefreshArgs, @Ctx() context: Context): Promise<TokenPair> {
    return limitRejections(context, () => refreshSession(context, refreshToken));
  }

  @WhileSuspended()
  @AuthorizedMutation(() => SessionType, { description: 'Ends the current session; other sessions continue.' })
  async logout(@Ctx() context: Context): Promise<SessionType> {
    const { credentialId } = viewerOf(context);
    const ended = await endSession(context, credentialId, 'LOGOUT');
    if (!ended) throw new AppError('UNAUTHENTICATED');
    return ended;
  }

  @MaxItems(MAX_SESSIONS)
  @AuthorizedQuery(() => [SessionType], { description: 'Your sessions, most recently used first.' })
  async sessions(@Ctx() context: Context): Promise<SessionType[]> {
    const viewer = viewerOf(context);
    const rows = await context.database.query(MEMBER_SESSIONS, [viewer.memberId]);
    return rows.map((row) => toSession(row, viewer));
  }

  @WhileSuspended()
  @AuthorizedMutation(() => SessionType, { description: 'Ends one of your sessions.' })
  async endSession(@Args(() => SessionIdArgs) { id }: SessionIdArgs, @Ctx() context: Context): Promise<SessionType> {
    return requireRow(await endSession(context, id, 'SESSION_ENDED'), 'SESSION_NOT_FOUND');
  }

  @WhileSuspended()
  @MaxItems(MAX_SESSIONS)
  @AuthorizedMutation(() => [SessionType], { description: 'Ends all of your sessions except the current one.' })
  async endOtherSessions(@Ctx() context: Context): Promise<SessionType[]> {
    const viewer = viewerOf(context);
    const { address, device } = context.client;
    const event = ['SESSION_ENDED', address, device] as const;
    const rows = await context.database.change(END_OTHER_SESSIONS, [
      viewer.memberId,
      viewer.credentialId,
      ...event,
      false,
    ]);
    securityEvents.inc({ kind: 'SESSION_ENDED' }, rows.length);
    return rows.map((row) => toSession(row, viewer));
  }

  @AuthorizedQuery(() => SecurityEventPage, {
    description:
      'Security events of your account in the last 180 days, newest first; ' +
      `at most ${MAX_EVENTS_PER_KIND} events of each kind.`,
  })
  async securityEvents(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    const { memberId } = viewerOf(context);
    const { limit, offset } = pageSlice(args);
    const [contents, [counted]] = await Promise.all([
      context.database.query(MEMBER_EVENTS, [memberId, limit, offset]),
      context.database.query(COUNT_MEMBER_EVENTS, [memberId]),
    ]);
    return toPage(args, { contents, total: counted?.total ?? 0 });
  }
}

/**
 * Rate limit on rejected refresh tokens only, per network: a valid token is never rejected because of other clients' requests.
 * @throws AppError RATE_LIMITED in place of REFRESH_TOKEN_INVALID
 */
async function limitRejections(context: Context, refresh: () => Promise<TokenPair>): Promise<TokenPair> {
  try {
    return await refresh();
  } catch (error) {
    if (!(error instanceof AppError) || error.key !== 'REFRESH_TOKEN_INVALID') throw error;
    assertNotRateLimited(
      await context.limits.refresh.count(context.database, networkOf(context.client.address)),
      'rejected refresh tokens',
    );
    throw error;
  }
}

async function endSession(context: Context, id: string, kind: EventKind): Promise<SessionType | undefined> {
  const viewer = viewerOf(context);
  const { address, device } = context.client;
  const [row] = await context.database.change(END_SESSION, [id, viewer.memberId, kind, address, device]);
  if (!row) return undefined;
  securityEvents.inc({ kind });
  return toSession(row, viewer);
}

function toSession(row: SessionRow, { credentialId }: Viewer): SessionType {
  return { ...row, current: row.id === credentialId };
}
