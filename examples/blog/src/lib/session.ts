/** The tokens of a visitor, in cookies that scripts cannot read, and their renewal. */
import type { AstroCookies } from 'astro';

export interface Tokens {
  accessToken: string;
  refreshToken: string;
}

/** Asks the service for new tokens; null if the session has ended. */
type Renew = (refreshToken: string) => Promise<Tokens | null>;

const ACCESS = 'daybook-access';
const REFRESH = 'daybook-refresh';
const OPTIONS = {
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: process.env.SITE_URL?.startsWith('https:') ?? false,
} as const;

/** A refresh token can be used once: all requests with the same one wait for the same renewal. */
const renewals = new Map<string, Promise<Tokens | null>>();
/** Requests that the browser sent before it received the new cookies still get their renewal. */
const KEPT_MS = 10_000;

export class Session {
  #tokens: Partial<Tokens>;
  /** Whether the session ended during this request: the page says so. */
  hasEnded = false;

  constructor(readonly cookies: AstroCookies) {
    this.#tokens = {};
    const [accessToken, refreshToken] = [ACCESS, REFRESH].map((name) => cookies.get(name)?.value);
    if (isToken(accessToken)) this.#tokens.accessToken = accessToken;
    if (isToken(refreshToken)) this.#tokens.refreshToken = refreshToken;
  }

  get accessToken(): string | undefined {
    return this.#tokens.accessToken;
  }

  get isOpen(): boolean {
    return this.#tokens.accessToken !== undefined || this.#tokens.refreshToken !== undefined;
  }

  /** Whether a request would be rejected: the cookie of an access token ends before the token. */
  get needsRenewal(): boolean {
    return this.#tokens.accessToken === undefined && this.#tokens.refreshToken !== undefined;
  }

  start(tokens: Tokens): void {
    this.#tokens = tokens;
    this.cookies.set(ACCESS, tokens.accessToken, { ...OPTIONS, maxAge: secondsLeft(tokens.accessToken) - 10 });
    this.cookies.set(REFRESH, tokens.refreshToken, { ...OPTIONS, maxAge: secondsLeft(tokens.refreshToken) });
  }

  end(): void {
    this.#tokens = {};
    this.hasEnded = true;
    this.cookies.delete(ACCESS, OPTIONS);
    this.cookies.delete(REFRESH, OPTIONS);
  }

  /** Takes new tokens, or ends the session. An error, such as of the network, keeps it. */
  async renew(request: Renew): Promise<void> {
    const { refreshToken } = this.#tokens;
    if (!refreshToken) return this.end();
    let renewal = renewals.get(refreshToken);
    if (!renewal) {
      renewal = request(refreshToken);
      renewals.set(refreshToken, renewal);
      const forget = () => renewals.delete(refreshToken);
      renewal.then(() => setTimeout(forget, KEPT_MS).unref(), forget);
    }
    const tokens = await renewal;
    if (tokens) this.start(tokens);
    else this.end();
  }
}

const isToken = (value = ''): value is string => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value);

function secondsLeft(token: string): number {
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
  return Math.max(exp - Math.floor(Date.now() / 1000), 11);
}
