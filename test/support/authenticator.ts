/** A WebAuthn authenticator in software, whose responses can be wrong in any part. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Algorithm = 'EdDSA' | 'ES256' | 'RS256';

/** Flags of authenticator data (WebAuthn Level 3 §6.1). */
export const FLAGS = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
  extensions: 0x80,
} as const;

const VERIFIED = FLAGS.userPresent | FLAGS.userVerified;

/** The page, as the browser reports it. */
export interface Site {
  origin: string;
  rpId: string;
}

/** Replaced parts of a response. */
export interface Forged {
  clientData?: Record<string, unknown>;
  rpId?: string;
  flags?: number;
  counter?: number;
  userHandle?: string;
  /** Signs instead of the credential's key. */
  key?: KeyObject;
}

interface ForgedAttestation extends Forged {
  credentialId?: Buffer;
  /** The attestation object instead of one without attestation. */
  attestationObject?: (authData: Buffer, signed: Buffer) => Buffer;
  /** Bytes of the COSE key. */
  publicKey?: Buffer;
  transports?: unknown;
}

interface LoginOptions {
  challenge: string;
}

interface RegistrationOptions extends LoginOptions {
  user: { id: string };
}

/** One credential, as a passkey provider holds it. */
export class Authenticator {
  readonly credentialId = randomBytes(16);
  readonly privateKey: KeyObject;
  readonly publicKey: Buffer;
  userHandle = '';
  counter = 0;
  flags: number = VERIFIED;

  constructor(
    readonly site: Site,
    readonly algorithm: Algorithm = 'ES256',
  ) {
    const { privateKey, publicKey } = generate(algorithm);
    this.privateKey = privateKey;
    this.publicKey = coseKey(algorithm, publicKey);
  }

  /** The JSON form of the result of `navigator.credentials.create`. */
  register({ challenge, user }: RegistrationOptions, forged: ForgedAttestation = {}) {
    this.userHandle = user.id;
    const { credentialId = this.credentialId, transports = ['internal', 'hybrid', 'future'] } = forged;
    const clientDataJSON = this.#clientData('webauthn.create', challenge, forged);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credentialId.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, forged.publicKey ?? this.publicKey]);
    const flags = (forged.flags ?? this.flags) | FLAGS.attested;
    const authData = Buffer.concat([this.#authenticatorData({ ...forged, flags }), attested]);
    const signed = Buffer.concat([authData, sha256(clientDataJSON)]);
    const object = forged.attestationObject?.(authData, signed) ?? attestationObject(authData);
    const response = {
      clientDataJSON: clientDataJSON.toString('base64url'),
      attestationObject: object.toString('base64url'),
      transports,
    };
    return this.#credential(response, credentialId);
  }

  /** The JSON form of the result of `navigator.credentials.get`. */
  assert({ challenge }: LoginOptions, forged: Forged = {}) {
    const clientDataJSON = this.#clientData('webauthn.get', challenge, forged);
    const authenticatorData = this.#authenticatorData(forged);
    const signature = this.sign(Buffer.concat([authenticatorData, sha256(clientDataJSON)]), forged.key);
    return this.#credential({
      clientDataJSON: clientDataJSON.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: forged.userHandle ?? this.userHandle,
    });
  }

  sign(data: Buffer, key = this.privateKey): Buffer {
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', data, key);
  }

  #clientData(type: string, challenge: string, { clientData }: Forged): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: this.site.origin, crossOrigin: false, ...clientData }),
    );
  }

  #authenticatorData({ rpId = this.site.rpId, flags = this.flags, counter = this.counter }: Forged): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), rest]);
  }

  #credential<Response>(response: Response, credentialId: Buffer = this.credentialId) {
    const id = credentialId.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    };
  }
}

/** An attestation object, by default without attestation. */
export function attestationObject(authData: Buffer, fmt = 'none', attStmt: Map<string, unknown> = new Map()): Buffer {
  return cbor(
    new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ]),
  );
}

function sha256(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest();
}

function generate(algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** RFC 9053 §7, RFC 8230 §4. */
function coseKey(algorithm: Algorithm, key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  const members: Record<Algorithm, [number, unknown][]> = {
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ],
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ],
  };
  return cbor(new Map(members[algorithm]));
}

/** Encodes integers, texts, bytes, arrays and maps (RFC 8949). */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (!(value instanceof Map)) throw new TypeError(`no CBOR for ${value}`);
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
}

function head(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.from([type | argument]);
  if (argument < 0x100) return Buffer.from([type | 24, argument]);
  return Buffer.from([type | 25, argument >> 8, argument & 0xff]);
}
