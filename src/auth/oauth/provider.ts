/** What a login provider is to the rest of the application. */

/** Who a provider says has logged in there. */
export interface Identity {
  provider: string;
  /** The provider's own name for the account: the only thing that it is known by here. */
  subject: string;
  /** Only an address that the provider has verified. */
  email: string | null;
  /** What to call the member at first. */
  name: string | null;
}

export interface Authorization {
  redirectUri: string;
  state: string;
  nonce: string;
  codeChallenge: string;
}

export interface CodeExchange {
  code: string;
  /** Exactly the one that the login began with (RFC 9700 §4.1.3). */
  redirectUri: string;
  codeVerifier: string | undefined;
  nonce: string | undefined;
  state: string | undefined;
}

export interface Provider {
  readonly name: string;
  /** Where the member goes to log in. @throws AppError OAUTH_PROVIDER_FAILED */
  authorizationUrl(authorization: Authorization): Promise<string>;
  /** @throws AppError OAUTH_REJECTED, OAUTH_PROVIDER_FAILED */
  identify(exchange: CodeExchange): Promise<Identity>;
}
