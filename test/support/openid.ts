/** A real OpenID provider on loopback, with injectable failures. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import jwt from 'jsonwebtoken';
import { type JWK, Provider } from 'oidc-provider';
import { closeServer, listen } from './server.js';

export const CLIENT = { id: 'daybook', secret: 'a secret of the client, long enough for anything' };

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface OpenIdServer {
  issuer: string;
  people: Map<string, Person>;
  /** Replaces the provider's handler of this path until the next `reset`. */
  intercept(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Changes the claims, the header or the key of the next ID tokens. */
  forge(change: (claims: Record<string, unknown>) => Record<string, unknown>, key?: 'own' | 'another'): void;
  reset(): void;
  /** Completes the login like a browser. @returns the query of the final redirect */
  logIn(url: string, sub: string): Promise<URLSearchParams>;
  close(): Promise<void>;
}

export async function startOpenId(redirectUris: string[]): Promise<OpenIdServer> {
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const people = new Map<string, Person>();
  const intercepted = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const handle = openProvider(issuer, keyOf('own').jwk, people, redirectUris).callback();
  server.on('request', (request, response) => {
    const path = new URL(request.url ?? '/', issuer).pathname;
    const interception = intercepted.get(path);
    if (interception) interception(request, response);
    else handle(request, response);
  });
  const intercept: OpenIdServer['intercept'] = (path, handler) => intercepted.set(path, handler);
  return {
    issuer,
    people,
    intercept,
    forge: (change, key = 'own') => intercept('/token', forgeTokens(handle, keyOf(key), change)),
    reset: () => intercepted.clear(),
    logIn: (url, sub) => followLogin(url, sub),
    close: () => closeServer(server),
  };
}

function openProvider(issuer: string, jwk: JWK, people: Map<string, Person>, redirectUris: string[]): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
        // Redirects to loopback over http are allowed for native clients only.
        application_type: 'native',
      },
    ],
    jwks: { keys: [jwk] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => false },
    cookies: { keys: ['a key for the cookies of the tests'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  });
  return provider;
}

interface Signer {
  jwk: JWK;
  sign(claims: Record<string, unknown>): string;
}

/** To make one takes up to a second. */
const keys: { own?: Signer; another?: Signer } = {};

/** Two keys with the same key id; the second one is not published by the providers. */
function keyOf(name: 'own' | 'another'): Signer {
  keys[name] ??= makeKey();
  return keys[name];
}

function makeKey(): Signer {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' } as JWK;
  return { jwk, sign: (claims) => jwt.sign(claims, privateKey, { algorithm: 'RS256', keyid: 'one' }) };
}

/** Replaces the ID token in the provider's response by one with other claims. */
function forgeTokens(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { sign }: Signer,
  change: (claims: Record<string, unknown>) => Record<string, unknown>,
) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const end = response.end.bind(response);
    response.end = ((body: string | Buffer) => {
      const tokens = JSON.parse(String(body));
      const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url').toString());
      const text = JSON.stringify({ ...tokens, id_token: sign(change(claims)) });
      response.setHeader('Content-Length', Buffer.byteLength(text));
      return end(text);
    }) as typeof response.end;
    handle(request, response);
  };
}

/** Submits the login and consent pages of the provider, with cookies. */
async function followLogin(url: string, sub: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step++) {
    const response = await fetch(next, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('Location');
    if (location) {
      next = new URL(location, next);
      form = undefined;
      if (next.searchParams.has('code') || next.searchParams.has('error')) return next.searchParams;
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (!action) throw new Error(`${response.status} at ${next.pathname}: ${page.slice(0, 300)}`);
    next = new URL(action, next);
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? 'login';
    form = new URLSearchParams({ prompt, login: sub, password: 'whatever' });
  }
  throw new Error('the login does not end');
}
