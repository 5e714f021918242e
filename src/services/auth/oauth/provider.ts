/** The interface of a social login provider. */
import { isEmailAddress } from '../../../platform/email-address.js';
import { AppError } from '../../../platform/errors.js';
import { createMessage } from '../../../platform/messages/message.js';
import { beginningOf, inspectValue, isText } from '../../../platform/text.js';

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

/** OpenID Connect Core 1.0 §2: at most 255 ASCII characters. NUL and other control characters are excluded too. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** More than the longest member name, also with characters that are left out of it. */
const MAX_NAME_UNITS = 200;

interface Claims {
  readonly subject: unknown;
  /** Undefined unless the provider has verified the address. */
  readonly verifiedEmail: unknown;
  /** In order of preference. */
  readonly names: readonly unknown[];
}

/**
 * An identity from the claims of a provider, which are of any type and length. An unusable address or name is left out.
 * @throws AppError OAUTH_PROVIDER_FAILED for a subject that is not permitted
 */
export function identityFrom(provider: string, { subject, verifiedEmail, names }: Claims): Identity {
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) {
    throw new AppError('OAUTH_PROVIDER_FAILED', {
      message: createMessage('subjectInvalid', provider, inspectValue(subject)),
    });
  }
  const address = typeof verifiedEmail === 'string' ? verifiedEmail.trim().normalize('NFC') : '';
  const name = names.find(isText);
  return {
    provider,
    subject,
    email: isEmailAddress(address) ? address : null,
    name: name === undefined ? null : beginningOf(name.trim(), MAX_NAME_UNITS),
  };
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

/** The error of a login that the provider does not confirm. */
export function rejected(provider: string, cause?: unknown): AppError {
  return new AppError('OAUTH_REJECTED', { message: createMessage('loginNotConfirmed', provider), cause });
}
