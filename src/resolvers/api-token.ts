/** API tokens of the authenticated member, which no API token may manage, and the token of the request. */
import ms from 'ms';
import { Arg, Args, Ctx, Resolver } from 'type-graphql';
import { createApiToken } from '../commands/api-token.js';
import type { Context } from '../context.js';
import {
  type ApiTokenRow,
  DELETE_API_TOKEN,
  MAX_API_TOKENS,
  MEMBER_API_TOKENS,
  SCOPE_NAMES,
} from '../models/session/api-token.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import {
  ApiTokenIdArgs,
  ApiTokenScopes,
  ApiTokenType,
  CreateApiTokenInput,
  CreatedApiToken,
  MAX_API_TOKEN_DAYS,
  TokenType,
} from '../schema/api-token.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { MaxItems } from '../schema/response-limits.js';
import { securityEvents } from '../services/auth/audit.js';
import { requireProof } from '../services/auth/login.js';
import { viewerOf } from '../services/auth/policy.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { requireRow } from './row.js';

@Resolver()
export class ApiTokenResolver {
  @MaxItems(MAX_API_TOKENS)
  @AuthorizedQuery(() => [ApiTokenType], { description: 'Your API tokens, newest first, including expired ones.' })
  apiTokens(@Ctx() context: Context): Promise<ApiTokenRow[]> {
    return context.database.query(MEMBER_API_TOKENS, [viewerOf(context).memberId]);
  }

  @ApiTokenScopes('public')
  @AuthorizedQuery(() => TokenType, {
    description:
      'The token of this request: whose it is, what it may do, and when it expires. For API tokens with any scope.',
  })
  token(@Ctx() context: Context): TokenType {
    const { memberId, scopes, expiresAt } = viewerOf(context);
    return {
      kind: scopes === null ? 'SESSION' : 'API_TOKEN',
      memberId,
      scopes: scopes && SCOPE_NAMES.filter((scope) => scopes.has(scope)),
      expiresAt: Number.isFinite(expiresAt) ? new Date(expiresAt) : null,
    };
  }

  @IdempotencyKey('ignored: secret')
  @AuthorizedMutation(() => CreatedApiToken, {
    description: `Creates an API token: at most ${MAX_API_TOKENS} per member.`,
  })
  async createApiToken(
    @Arg('input', () => CreateApiTokenInput, { description: 'The new token, and re-authentication.' })
    { name, scopes, expiresAt = null, password }: CreateApiTokenInput,
    @Ctx() context: Context,
  ): Promise<ApiTokenRow & { token: string }> {
    const viewer = viewerOf(context);
    if (expiresAt !== null) requireFuture(context, expiresAt);
    const passwordHash = await requireProof(context, viewer, password);
    assertNotRateLimited(
      await context.limits.apiTokens.count(context.database, String(viewer.memberId)),
      'new API tokens',
    );
    const ordered = SCOPE_NAMES.filter((scope) => scopes.includes(scope));
    return createApiToken(context, viewer, { name, scopes: ordered, expiresAt }, passwordHash);
  }

  @WhileSuspended()
  @AuthorizedMutation(() => ApiTokenType, { description: 'Deletes one of your API tokens: it is invalid immediately.' })
  async deleteApiToken(@Args(() => ApiTokenIdArgs) { id }: ApiTokenIdArgs, @Ctx() context: Context) {
    const { memberId, credentialId } = viewerOf(context);
    const { address, device } = context.client;
    const [row] = await context.database.change(DELETE_API_TOKEN, [id, memberId, credentialId, address, device]);
    const deleted = requireRow(row, 'TOKEN_NOT_FOUND');
    securityEvents.inc({ kind: 'API_TOKEN_DELETED' });
    return deleted;
  }
}

/** @throws AppError VALIDATION_FAILED */
function requireFuture({ database }: Context, expiresAt: string): void {
  const days = (Date.parse(expiresAt) - database.now()) / ms('1d');
  if (days > 0 && days <= MAX_API_TOKEN_DAYS) return;
  throw invalid('expiresAt', createMessage('mustBeFuture', MAX_API_TOKEN_DAYS, expiresAt));
}
