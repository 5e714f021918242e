/** Verifies the responses of authenticators (WebAuthn Level 3 §7.1, §7.2). The library is loaded with the first one. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { CredentialRecord } from '../../../models/member/passkey.js';
import { invalid } from '../../../platform/errors.js';
import { createMessage, type Message } from '../../../platform/messages/message.js';
import { inspectValue, parseObject } from '../../../platform/text.js';
import type { Caller, Viewer } from '../policy.js';
import { type Challenge, LOGIN, readChallenge, registrationIn } from './challenge.js';

export type { AuthenticationResponseJSON, RegistrationResponseJSON };

/** COSE algorithms in the order of preference: EdDSA, ES256, RS256 (WebAuthn Level 3 §5.4, pubKeyCredParams). */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

/** The size of an RSA key of 4,096 bits is about 550 bytes. */
const MAX_KEY_BYTES = 1024;

const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

interface AuthenticatorState {
  challenge: Challenge;
  counter: number;
  isBackupEligible: boolean;
  isBackedUp: boolean;
}

/** The bytes of the user handle of a member in base64url. @param uuid as stored */
export function encodeUserHandle(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Does not compare the signature counter and the backup eligibility with the record. @returns null if the assertion is not valid */
export async function verifyAssertion(
  caller: Caller,
  assertion: AuthenticationResponseJSON,
  record: CredentialRecord,
): Promise<AuthenticatorState | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { rpId, origins } = caller.config.relyingParty;
  const clientData = readClientData(assertion);
  const challenge = readChallenge(caller, LOGIN, clientData.challenge);
  // The library requires neither of the last two.
  const isOwn = assertion.response.userHandle === encodeUserHandle(record.userHandle);
  if (!challenge || !isOwn || !isTopLevel(clientData)) return null;
  const verification = verifyAuthenticationResponse({
    response: assertion,
    expectedChallenge: String(clientData.challenge),
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    // The library would reject an old counter before it verifies the signature.
    credential: { id: assertion.id, publicKey: new Uint8Array(record.publicKey), counter: 0 },
  });
  const { verified, authenticationInfo } = await verification.catch(() => ({
    verified: false,
    authenticationInfo: null,
  }));
  if (!verified || !authenticationInfo) return null;
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
  return {
    ...{ challenge, counter: newCounter },
    ...{ isBackupEligible: credentialDeviceType === 'multiDevice', isBackedUp: credentialBackedUp },
  };
}

/** A new credential. */
export interface NewCredential extends AuthenticatorState {
  credentialId: Buffer;
  /** A COSE key. */
  publicKey: Buffer;
  transports: string[];
}

/** @throws AppError VALIDATION_FAILED for `credential` */
export async function verifyAttestation(
  caller: Caller,
  viewer: Viewer,
  attestation: RegistrationResponseJSON,
): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { rpId, origins } = caller.config.relyingParty;
  const clientData = readClientData(attestation);
  const challenge = readChallenge(caller, registrationIn(viewer), clientData.challenge);
  if (!challenge) throw rejection(createMessage('credentialChallengeInvalid'));
  if (!isTopLevel(clientData) || !origins.includes(String(clientData.origin)))
    throw rejection(createMessage('credentialOriginWrong', origins, inspectValue(clientData.origin)));
  await requireNoCertificates(attestation);
  const unverifiable = () => rejection(createMessage('credentialUnverifiable', rpId));
  const { registrationInfo } = await verifyRegistrationResponse({
    response: attestation,
    expectedChallenge: String(clientData.challenge),
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) throw unverifiable();
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (credential.publicKey.length > MAX_KEY_BYTES) throw unverifiable();
  return {
    ...{ challenge, counter: credential.counter, transports: transportsOf(attestation) },
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    ...{ isBackupEligible: credentialDeviceType === 'multiDevice', isBackedUp: credentialBackedUp },
  };
}

/**
 * The library would request the revocation lists at the URLs in the certificates of an attestation, which anyone can choose.
 * @throws AppError VALIDATION_FAILED for `credential`
 */
async function requireNoCertificates({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  let format: unknown;
  let isSelf = false;
  try {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
    format = decoded.get('fmt');
    isSelf = format === 'packed' && !(decoded.get('attStmt') as Map<string, unknown>).has('x5c');
  } catch {
    // Malformed CBOR is reported as an unknown format.
  }
  if (format !== 'none' && !isSelf) throw rejection(createMessage('attestationUnsupported', inspectValue(format)));
}

function rejection(message: Message) {
  return invalid('credential', message);
}

function readClientData({ response }: AuthenticationResponseJSON | RegistrationResponseJSON): Record<string, unknown> {
  return parseObject(Buffer.from(response.clientDataJSON, 'base64url').toString());
}

/** Not in an iframe of another origin (§7.1 and §7.2, crossOrigin and topOrigin). */
function isTopLevel({ crossOrigin, topOrigin }: Record<string, unknown>): boolean {
  return (crossOrigin === undefined || crossOrigin === false) && topOrigin === undefined;
}

/** Hints for later requests; unknown ones are left out. */
function transportsOf({ response }: RegistrationResponseJSON): string[] {
  const given: unknown = response.transports;
  return TRANSPORTS.filter((transport) => Array.isArray(given) && given.includes(transport));
}
