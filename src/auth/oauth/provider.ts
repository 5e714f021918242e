/** The interface of a social login provider. */

/** The identity that a provider has authenticated. */
export interface Identity {
  provider: string;
  /** The provider's identifier of the account (`sub`): the only identifier that accounts are matched by. */
  subject: string;
  /** Null unless the provider has verified the address. */
  email: string | null;
  /** The initial name of the member. */
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
  /** Must be identical to the redirect URI of the authorization request (RFC 9700 §4.1.3). */
  redirectUri: string;
  codeVerifier: string | undefined;
  nonce: string | undefined;
  state: string | undefined;
}

export interface Provider {
  readonly name: string;
  /** The URL of the provider's login page. @throws AppError OAUTH_PROVIDER_FAILED */
  authorizationUrl(authorization: Authorization): Promise<string>;
  /** @throws AppError OAUTH_REJECTED, OAUTH_PROVIDER_FAILED */
  identify(exchange: CodeExchange): Promise<Identity>;
}
