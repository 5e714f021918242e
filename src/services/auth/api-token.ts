/** API tokens: `dbk_`, 43 random characters, and a checksum of them, with which scanners recognize a token without a request. */
import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_TOKEN_BY_HASH, SCOPE_NAMES, type Scope, TOUCH_API_TOKEN } from '../../models/session/api-token.js';
import type { Database } from '../../platform/database/pool.js';
import { AppError } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';
import { requireNotSuspended, type Viewer } from './policy.js';
import { hashToken } from './token.js';

export const API_TOKEN_PREFIX = 'dbk_';

/** The digits of base62, in the order of their values. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 62^43 is more than 2^256. */
const RANDOM_DIGITS = 43;

/** 62^6 is more than 2^32. */
const CHECKSUM_DIGITS = 6;

export const API_TOKEN_LENGTH = API_TOKEN_PREFIX.length + RANDOM_DIGITS + CHECKSUM_DIGITS;

const PATTERN = new RegExp(`^${API_TOKEN_PREFIX}([0-9A-Za-z]{${RANDOM_DIGITS}})([0-9A-Za-z]{${CHECKSUM_DIGITS}})$`);

/** A new token, with 256 random bits. */
export function generateApiToken(): string {
  const random = Array.from({ length: RANDOM_DIGITS }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return API_TOKEN_PREFIX + random + checksumOf(random);
}

/** The part of the services that API tokens need. */
export interface ApiTokens {
  readonly database: Database;
  readonly apiTokenUses: ApiTokenUses;
}

/**
 * A token whose checksum is wrong is rejected without a statement.
 * @throws AppError UNAUTHENTICATED, TOKEN_EXPIRED, MEMBER_SUSPENDED
 */
export async function authenticateApiToken({ database, apiTokenUses }: ApiTokens, token: string): Promise<Viewer> {
  const [, random = '', checksum] = PATTERN.exec(token) ?? [];
  if (checksum !== checksumOf(random)) throw rejected('apiTokenMalformed');
  const [found] = await database.query(API_TOKEN_BY_HASH, [hashToken(token)]);
  if (!found) throw rejected('apiTokenUnknown');
  const { id, memberId, scopes, expiresAt, isExpired, isStale, suspension } = found;
  if (isExpired) throw new AppError('TOKEN_EXPIRED', { message: createMessage('apiTokenExpired') });
  requireNotSuspended(found);
  if (isStale) apiTokenUses.record(id);
  return {
    memberId,
    credentialId: id,
    scopes: new Set(scopes),
    role: 'MEMBER',
    suspension,
    expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/** The needs of one field of an operation. Null: it is not available to API tokens. */
export interface ScopeNeed {
  readonly field: string;
  readonly anyOf: readonly Scope[] | null;
  /** Of a field with `@skip` or `@include`. */
  readonly isExcluded?: (variables: Variables) => boolean;
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * Sessions need no scope.
 * @param variables those of the operation; null before they are read
 * @throws AppError SCOPE_MISSING for the first need that an API token does not meet
 */
export function requireScopes(
  viewer: Viewer | null,
  declared: readonly ScopeNeed[],
  variables: Variables | null,
): void {
  const scopes = viewer?.scopes;
  const missing = scopes && firstUnmet(scopes, declared, variables);
  if (!missing) return;
  const { field, anyOf } = missing;
  const message = anyOf
    ? createMessage('scopeMissing', field, anyOf, [...scopes])
    : createMessage('notForApiTokens', field);
  throw new AppError('SCOPE_MISSING', { message, scopes: sufficientScopes(scopes, needsWith(declared, variables)) });
}

/** Scopes that meet all needs, those of the token as far as possible; empty if none do. */
function sufficientScopes(held: ReadonlySet<Scope>, needs: readonly ScopeNeed[]): Scope[] {
  if (needs.some(({ anyOf }) => anyOf === null)) return [];
  const chosen = new Set<Scope>();
  for (const { anyOf } of needs) {
    const [first] = anyOf ?? [];
    const scope = anyOf?.find((one) => chosen.has(one)) ?? anyOf?.find((one) => held.has(one)) ?? first;
    if (scope) chosen.add(scope);
  }
  return SCOPE_NAMES.filter((scope) => chosen.has(scope));
}

/** The first need that an API token with these scopes does not meet. */
export function firstUnmet(
  scopes: ReadonlySet<Scope>,
  declared: readonly ScopeNeed[],
  variables: Variables | null = null,
): ScopeNeed | undefined {
  return needsWith(declared, variables).find(({ anyOf }) => !anyOf?.some((scope) => scopes.has(scope)));
}

/** @param variables null: without the fields that have a condition */
function needsWith(declared: readonly ScopeNeed[], variables: Variables | null): readonly ScopeNeed[] {
  return declared.filter(({ isExcluded }) => !isExcluded || (variables !== null && !isExcluded(variables)));
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let count = 0; count < CHECKSUM_DIGITS; count++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

function rejected(key: 'apiTokenMalformed' | 'apiTokenUnknown'): AppError {
  return new AppError('UNAUTHENTICATED', { message: createMessage(key) });
}

/** The requests do not wait until the use of their token is recorded. If that fails, the next request records its own use. */
export class ApiTokenUses {
  readonly #database: Database;
  /** Ids of the tokens whose use this process is recording. */
  readonly #recording = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  record(id: string): void {
    if (this.#recording.has(id)) return;
    this.#recording.add(id);
    void this.#database
      .query(TOUCH_API_TOKEN, [id])
      .catch(() => {})
      .finally(() => this.#recording.delete(id));
  }
}
