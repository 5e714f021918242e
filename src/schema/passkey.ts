/** GraphQL types and inputs of passkeys. Options and credentials have the JSON forms of WebAuthn Level 3 (§5.1.8, §5.1.9). */
import { GraphQLScalarType } from 'graphql';
import { ArgsType, Extensions, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MAX_PASSKEYS } from '../models/member/passkey.js';
import { createMessage, type Message } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import { PROOF } from './auth.js';
import { constraint } from './constraints.js';
import { LimitedAs, MaxItems } from './response-limits.js';
import { DateTime, idArgs, type Moment } from './scalars.js';
import { CurrentPassword, Line } from './validators.js';

/** Validated by `Credential`. */
export const PublicKeyCredentialJSON = new GraphQLScalarType<unknown, never>({
  name: 'PublicKeyCredentialJSON',
  description:
    'The response of an authenticator as a JSON object: the result of `toJSON()` of the PublicKeyCredential, unchanged. ' +
    'Bytes are in base64url without padding.',
  specifiedByURL: 'https://www.w3.org/TR/webauthn-3/#typedefdef-publickeycredentialjson',
  serialize: (value) => value as never,
});

/** Required parts, each with its maximum number of bytes and its description. */
type Parts = Readonly<Record<string, readonly [maxBytes: number, about: string]>>;

const CREDENTIAL: Parts = { id: [1023, 'The credential ID.'], rawId: [1023, 'The same.'] };
const CLIENT_DATA = [4096, 'The origin of the page and the challenge, as the browser states them.'] as const;
const ASSERTION: Parts = {
  clientDataJSON: CLIENT_DATA,
  authenticatorData: [4096, 'Flags and counter of the authenticator for this login.'],
  signature: [1024, 'The signature over both.'],
  userHandle: [64, 'The user handle of the account.'],
};
const ATTESTATION: Parts = {
  clientDataJSON: CLIENT_DATA,
  attestationObject: [16_384, 'The new public key, without attestation or with self attestation.'],
};

/** Only the required parts are validated and used: browsers send others too, and may add more. */
function Credential(response: Parts): PropertyDecorator {
  return constraint({ explain: (value) => explainCredential(value, response), schema: credentialSchema(response) });
}

function explainCredential(value: unknown, responseParts: Parts): Message | null {
  const { response, type } = Object(value);
  if (type !== 'public-key' || typeof response !== 'object' || response === null) {
    return createMessage('credentialInvalid', inspectValue(value));
  }
  const explain = (holder: object, parts: Parts, path: string) =>
    Object.entries(parts).flatMap(([name, [maxBytes]]) => {
      const part: unknown = (holder as Record<string, unknown>)[name];
      const isBytes = typeof part === 'string' && isBase64Url(part, maxBytes);
      return isBytes ? [] : [createMessage('credentialPartInvalid', path + name, maxBytes, inspectValue(part))];
    });
  const [first = null] = [...explain(Object(value), CREDENTIAL, ''), ...explain(response, responseParts, 'response.')];
  return first;
}

/** One to `maxBytes` bytes. A last group of one character is not possible. */
function isBase64Url(text: string, maxBytes: number): boolean {
  return text.length <= charactersOf(maxBytes) && /^[\w-]+$/.test(text) && text.length % 4 !== 1;
}

function charactersOf(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}

function credentialSchema(responseParts: Parts) {
  const { properties, required } = objectSchema(CREDENTIAL);
  return {
    ...OPEN_OBJECT,
    properties: {
      ...properties,
      type: { const: 'public-key', description: 'The type of the credential.' },
      response: { ...objectSchema(responseParts), description: 'The response of the authenticator.' },
    },
    required: [...required, 'type', 'response'],
  };
}

const OPEN_OBJECT = { type: 'object', additionalProperties: true, maxProperties: 100 };

function objectSchema(parts: Parts) {
  const texts = Object.entries(parts).map(([name, [maxBytes, about]]) => {
    const maxLength = charactersOf(maxBytes);
    return [name, { type: 'string', minLength: 2, maxLength, pattern: '^[A-Za-z0-9_-]+$', description: about }];
  });
  return { ...OPEN_OBJECT, properties: Object.fromEntries(texts), required: Object.keys(parts) };
}

const NAME = 'A name to recognize the passkey by, such as that of its device: {range} characters.';
const MAX_NAME_LENGTH = 30;

@InputType({ description: 'A login with a passkey.' })
export class PasskeyLoginInput {
  @Field(() => PublicKeyCredentialJSON, { description: 'The result of `navigator.credentials.get`.' })
  @Credential(ASSERTION)
  credential!: unknown;
}

@InputType({ description: 'A new passkey, and re-authentication.' })
export class CreatePasskeyInput {
  @Field({ description: NAME })
  @Line(1, MAX_NAME_LENGTH)
  name!: string;

  @Field(() => PublicKeyCredentialJSON, { description: 'The result of `navigator.credentials.create`.' })
  @Credential(ATTESTATION)
  credential!: unknown;

  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

const PasskeyArgs = idArgs('id', 'ID of one of your passkeys.');

@ArgsType()
export class RenamePasskeyArgs extends PasskeyArgs {
  @Field({ description: NAME })
  @Line(1, MAX_NAME_LENGTH)
  name!: string;
}

@ArgsType()
export class DeletePasskeyArgs extends PasskeyArgs {
  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

@ObjectType('Passkey', { description: 'A passkey of yours.' })
export class PasskeyType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @LimitedAs(() => CreatePasskeyInput, 'name')
  @Field({ description: 'The name that you gave it.' })
  name!: string;

  @Field({ description: 'The credential ID, in base64url.' })
  credentialId!: string;

  @Field(() => [String], {
    description: 'How the authenticator can be reached, such as `internal`, `hybrid` or `usb`.',
  })
  transports!: string[];

  @Field({ description: 'Whether the passkey was backed up, such as in a password manager, at its last use.' })
  backedUp!: boolean;

  @Field(() => DateTime, { description: 'Time of the registration, in UTC.' })
  createdAt!: Moment;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last login, in UTC; null before the first.' })
  lastUsedAt!: Moment | null;
}

const CHALLENGE = 'Random bytes that the authenticator signs; valid for one use, in base64url.';
const TIMEOUT = 'Time for the user to respond, in milliseconds. The challenge is valid for as long.';
const VERIFICATION = '`required`: the authenticator verifies the user, such as by a fingerprint or a PIN.';

@ObjectType({ description: 'Options of a login, for `PublicKeyCredential.parseRequestOptionsFromJSON`.' })
export class PasskeyLoginOptions {
  @Field({ description: CHALLENGE })
  challenge!: string;

  @Field(() => Int, { description: TIMEOUT })
  timeout!: number;

  @Field({ description: 'The domain that passkeys belong to.' })
  rpId!: string;

  @Field({ description: VERIFICATION })
  userVerification!: string;
}

@ObjectType({ description: 'The service that a passkey is for.' })
class PasskeyRelyingParty {
  @Field({ description: 'The domain that the passkey will belong to.' })
  id!: string;

  @Field({ description: 'Title of the journal.' })
  name!: string;
}

@ObjectType({ description: 'The account that a passkey is for.' })
class PasskeyUser {
  @Field({ description: 'The user handle: random bytes, in base64url.' })
  id!: string;

  @Field({ description: 'Email address of the account; without one, its nickname.' })
  name!: string;

  @Field({ description: 'Nickname of the account.' })
  displayName!: string;
}

@ObjectType({ description: 'A kind of key that the service supports.' })
class PasskeyAlgorithm {
  @Field({ description: '`public-key`.' })
  type!: string;

  @Extensions({ jsonSchema: { minimum: -65_536 } })
  @Field(() => Int, { description: 'COSE algorithm: -8 (EdDSA), -7 (ES256) or -257 (RS256).' })
  alg!: number;
}

@ObjectType({ description: 'A credential.' })
class PasskeyDescriptor {
  @Field({ description: '`public-key`.' })
  type!: string;

  @Field({ description: 'The credential ID, in base64url.' })
  id!: string;

  @Field(() => [String], { description: 'How the authenticator can be reached.' })
  transports!: string[];
}

@ObjectType({ description: 'Requirements for the authenticator.' })
class PasskeyAuthenticatorSelection {
  @Field({ description: '`required`: the passkey can be found without the name of an account.' })
  residentKey!: string;

  @Field({ description: 'The same for older clients.' })
  requireResidentKey!: boolean;

  @Field({ description: VERIFICATION })
  userVerification!: string;
}

@ObjectType({ description: 'Options of a registration, for `PublicKeyCredential.parseCreationOptionsFromJSON`.' })
export class PasskeyRegistrationOptions {
  @Field(() => PasskeyRelyingParty, { description: 'The service.' })
  rp!: PasskeyRelyingParty;

  @Field(() => PasskeyUser, { description: 'Your account.' })
  user!: PasskeyUser;

  @Field({ description: CHALLENGE })
  challenge!: string;

  @Field(() => [PasskeyAlgorithm], { description: 'The supported kinds of keys, by preference.' })
  pubKeyCredParams!: PasskeyAlgorithm[];

  @Field(() => Int, { description: TIMEOUT })
  timeout!: number;

  @MaxItems(MAX_PASSKEYS)
  @Field(() => [PasskeyDescriptor], { description: 'Your passkeys, whose authenticators do not register another one.' })
  excludeCredentials!: PasskeyDescriptor[];

  @Field(() => PasskeyAuthenticatorSelection, { description: 'Requirements for the authenticator.' })
  authenticatorSelection!: PasskeyAuthenticatorSelection;

  @Field({ description: '`none`: the model of the authenticator is not requested.' })
  attestation!: string;
}
