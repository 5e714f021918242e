/** Passkeys in tests: registration and login of a software authenticator over both APIs. */
import { expect } from 'chai';
import { Authenticator } from './authenticator.js';
import type { BuiltMember } from './build.js';
import { call, graphql, type RestResponse } from './client.js';

/** The relying party that `PASSKEY_SETTINGS` configures. */
export const SITE = { rpId: 'example.org', origin: 'https://journal.example.org' };

export const PASSKEY_SETTINGS = {
  WEBAUTHN_RP_ID: SITE.rpId,
  WEBAUTHN_ORIGINS: `${SITE.origin}, https://example.org, android:apk-key-hash:${'a'.repeat(43)}`,
};

/** For an application with the default relying party: that of its PUBLIC_URL. */
export function authenticatorFor(url: string): Authenticator {
  return new Authenticator({ origin: url, rpId: new URL(url).hostname });
}

type Member = Pick<BuiltMember, 'token' | 'password'>;

export async function loginOptions(url: string) {
  const { status, body } = await call(url, 'POST /api/auth/passkeys/options');
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data;
}

export async function registrationOptions(url: string, { token }: Pick<Member, 'token'>) {
  const { status, body } = await call(url, 'POST /api/members/me/passkeys/options', { token });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data;
}

export function logInWith(url: string, credential: unknown): Promise<RestResponse> {
  return call(url, 'POST /api/auth/passkeys/login', { json: { credential } });
}

export function register(
  url: string,
  { token, password }: Member,
  credential: unknown,
  name = 'Phone',
): Promise<RestResponse> {
  return call(url, 'POST /api/members/me/passkeys', { token, json: { name, credential, password } });
}

/** Registers a passkey of the member, and returns it with its authenticator. */
export async function buildPasskey(
  url: string,
  member: Member,
  authenticator = new Authenticator(SITE),
): Promise<{ id: number; authenticator: Authenticator }> {
  const credential = authenticator.register(await registrationOptions(url, member));
  const { status, body } = await register(url, member, credential);
  expect(status, JSON.stringify(body)).to.equal(201);
  return { id: body?.data.id, authenticator };
}

const LOG_IN =
  'mutation ($credential: PublicKeyCredentialJSON!) { passkeyLogin(input: { credential: $credential }) { accessToken } }';
const CREATE = `mutation ($input: CreatePasskeyInput!) { createPasskey(input: $input) { id name } }`;

/** A result over either API. */
export interface Outcome {
  /** `1`, or the key of the error. */
  code: string;
  message: string;
  /** The messages of invalid fields. */
  errors: unknown;
}

export const APIS = {
  REST: {
    logIn: async (url: string, credential: unknown) => outcomeOf(await logInWith(url, credential)),
    register: async (url: string, member: Member, credential: unknown) =>
      outcomeOf(await register(url, member, credential)),
  },
  GraphQL: {
    logIn: (url: string, credential: unknown) => overGraphQL(url, LOG_IN, { credential }),
    register: (url: string, { token, password }: Member, credential: unknown) =>
      overGraphQL(url, CREATE, { input: { name: 'Phone', credential, password } }, token),
  },
};

function outcomeOf({ body }: RestResponse): Outcome {
  return { code: body?.code ?? '', message: body?.message ?? '', errors: body?.data.errors };
}

async function overGraphQL(url: string, query: string, variables: object, token?: string): Promise<Outcome> {
  const { errors: [error] = [] } = await graphql(url, query, { ...variables }, token);
  const { code = '1', errors } = error?.extensions ?? {};
  return { code, message: error?.message ?? '', errors };
}
