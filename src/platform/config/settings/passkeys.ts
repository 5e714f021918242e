/** Settings of passkeys: the relying party of WebAuthn. */
import { EnvError } from 'envalid';
import { ConfigError, group, makeSetting } from '../setting.js';

const ORIGIN = 'an https origin such as https://journal.example.org, or http on localhost';

/** A domain name, or `localhost`. An IP address cannot be an RP ID (WebAuthn Level 3 §4). */
const domain = makeSetting(
  (input) => {
    const isDomain = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/.test(
      input,
    );
    if (input !== 'localhost' && (!isDomain || /\.\d+$/.test(input))) throw new EnvError();
    return input;
  },
  { whenEmpty: '' },
);

const passkeyOrigins = makeSetting((input) => input.split(',').map((part) => passkeyOrigin(part.trim())), {
  whenEmpty: [],
});

export const passkeySettings = group('Passkeys', {
  WEBAUTHN_RP_ID: domain({
    default: '',
    effectiveDefault: 'the host of `PUBLIC_URL`',
    expected: 'a domain such as example.org',
    description:
      'The RP ID: the domain that passkeys belong to. A host of `WEBAUTHN_ORIGINS`, or a parent domain that all of them share. After a change, existing passkeys cannot be used ([passkeys](passkeys.md)).',
  }),
  WEBAUTHN_ORIGINS: passkeyOrigins({
    default: '',
    effectiveDefault: 'the origin of `PUBLIC_URL`',
    expected: 'https origins, http://localhost, or android:apk-key-hash:…, separated by commas',
    description:
      'Origins of the pages and apps that may use passkeys: https, except for `localhost`, or an Android app as `android:apk-key-hash:…`.',
  }),
});

/** The relying party (WebAuthn Level 3 §4). */
export interface RelyingParty {
  readonly rpId: string;
  readonly origins: readonly string[];
}

interface Given {
  readonly WEBAUTHN_RP_ID: string;
  readonly WEBAUTHN_ORIGINS: readonly string[];
}

/**
 * Defaults are not checked: a PUBLIC_URL with an address or without https is usable for everything but passkeys, which browsers reject.
 * @throws ConfigError if an origin is not within the RP ID
 */
export function readRelyingParty({ WEBAUTHN_RP_ID, WEBAUTHN_ORIGINS }: Given, publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  const rpId = WEBAUTHN_RP_ID || hostname;
  const origins = WEBAUTHN_ORIGINS.length > 0 ? WEBAUTHN_ORIGINS : [origin];
  const isDerived = WEBAUTHN_RP_ID === '' && WEBAUTHN_ORIGINS.length === 0;
  const foreign = isDerived ? undefined : origins.find((one) => !isWithin(one, rpId));
  if (foreign === undefined) return { rpId, origins };
  throw new ConfigError(
    `WEBAUTHN_RP_ID must be the host or a parent domain of all WEBAUTHN_ORIGINS, and each must be ${ORIGIN}: ` +
      `${foreign} does not match ${rpId}. The default of both is PUBLIC_URL.`,
  );
}

function passkeyOrigin(input: string): string {
  if (/^android:apk-key-hash:[\w-]{43}$/.test(input)) return input;
  if (!URL.canParse(input) || new URL(input).origin !== input || !isSecure(input)) throw new EnvError();
  return input;
}

/** Browsers offer passkeys in secure contexts only. */
function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
}

function isWithin(origin: string, rpId: string): boolean {
  if (origin.startsWith('android:')) return true;
  return isSecure(origin) && `.${new URL(origin).hostname}`.endsWith(`.${rpId}`);
}
