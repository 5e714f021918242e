/** Sessions in tests: logins on several devices, token refresh over both APIs, forged tokens. */
import jwt from 'jsonwebtoken';
import { JWT_SECRET, type TestApp } from './app.js';
import { call, graphql } from './client.js';

export interface Pair {
  accessToken: string;
  refreshToken: string;
}

/** The result of a token refresh over either API. */
export interface Renewal {
  pair: Pair | null;
  /** `1`, or the key of the error. */
  code: string;
}

export const REFRESH = {
  REST: async (url: string, refreshToken: string): Promise<Renewal> => {
    const { body } = await call(url, 'POST /api/auth/refresh', { json: { refreshToken } });
    return { pair: body?.code === '1' ? body.data : null, code: body?.code ?? '' };
  },
  GraphQL: async (url: string, refreshToken: string): Promise<Renewal> => {
    const { data, errors } = await graphql(
      url,
      'mutation ($token: String!) { refreshTokens(refreshToken: $token) { accessToken refreshToken } }',
      { token: refreshToken },
    );
    return { pair: data?.refreshTokens ?? null, code: errors?.[0]?.extensions.code ?? '1' };
  },
};

/** Opens another session of a member. */
export async function logIn(
  url: string,
  { email, password }: { email: string; password: string },
  headers: Record<string, string> = {},
): Promise<Pair> {
  const { body } = await call(url, 'POST /api/auth/login', { json: { email, password }, headers });
  return body?.data;
}

/** The status of a request with this bearer token. */
export async function statusOf(url: string, token: string): Promise<number> {
  return (await call(url, 'GET /api/members/me', { token })).status;
}

/** Moves the last rotation of every session into the past. */
export async function ageRotations({ database }: TestApp, seconds: number): Promise<void> {
  await database.sequelize.query(`update sessions set rotated_at = rotated_at - interval '${seconds} seconds'`);
}

/** Moves the logins of a member into the past. */
export async function ageLogins(
  { database }: Pick<TestApp, 'database'>,
  memberId: number,
  minutes: number,
): Promise<void> {
  await database.sequelize.query(`update sessions set created_at = created_at - interval '${minutes} minutes'
    where member_id = ${memberId}`);
}

/** Removes the password, as in an account from a social login. */
export async function removePassword({ database }: Pick<TestApp, 'database'>, memberId: number): Promise<void> {
  await database.sequelize.query(`update members set password_hash = null where id = ${memberId}`);
}

/** A copy of `token` with other claims, header or signature. */
export function forge(
  token: string,
  claims: Record<string, unknown>,
  { secret = JWT_SECRET, typ, alg = 'HS256' }: { secret?: string; typ?: string; alg?: jwt.Algorithm } = {},
): string {
  const decoded = jwt.decode(token, { complete: true });
  const header = { ...decoded?.header };
  const payload = Object(decoded?.payload);
  const merged = Object.fromEntries(
    Object.entries({ ...payload, ...claims }).filter(([, value]) => value !== undefined),
  );
  return jwt.sign(merged, secret, { algorithm: alg, header: { ...header, alg, typ: typ ?? header.typ ?? '' } });
}

/** Invalid variants of a token by name, except ended sessions. `other` is a token of the other kind. */
export function badTokens(token: string, other: string, otherType: string): Record<string, string> {
  const [header, payload] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  return {
    'no token at all': 'nonsense',
    'a token of the other kind': other,
    'one that only claims this type': forge(token, {}, { typ: 'JWT' }),
    'one of this content and the other kind': forge(token, {}, { typ: otherType }),
    'one without a signature': `${none}.${payload}.`,
    'one with its signature cut off': `${header}.${payload}.`,
    'one with another algorithm': forge(token, {}, { alg: 'HS512' }),
    'one signed with another secret': forge(token, {}, { secret: 'another secret, as long as the first one' }),
    'one from another issuer': forge(token, { iss: 'somebody' }),
    'one for another audience': forge(token, { aud: 'somebody' }),
    'one that never expires': forge(token, { exp: undefined }),
    'one of another member': forge(token, { sub: '999999' }),
    'one of no session': forge(token, { sid: undefined }),
    'one that is not valid yet': forge(token, { nbf: now + 600 }),
  };
}

/** The clock by which access tokens expire. */
export function useClock(app: TestApp) {
  let aheadMs = 0;
  before(() => {
    const now = app.database.now.bind(app.database);
    app.database.now = () => now() + aheadMs;
  });
  return {
    advance: (seconds: number) => {
      aheadMs += seconds * 1000;
    },
  };
}
