/** Passkeys with WebAuthn: options from JSON, and credentials to JSON, also in browsers that lack these functions. */

/** @param options the `data` of POST /api/auth/passkeys/options. @returns the `credential` of POST /api/auth/passkeys/login */
export async function getPasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON?.(options) ?? {
    ...options,
    challenge: toBytes(options.challenge),
  };
  return toJson(await navigator.credentials.get({ publicKey }));
}

/** @param options the `data` of POST /api/members/me/passkeys/options. @returns the `credential` of POST /api/members/me/passkeys */
export async function makePasskey(options) {
  const { challenge, user, excludeCredentials } = options;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON?.(options) ?? {
    ...options,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map((one) => ({ ...one, id: toBytes(one.id) })),
  };
  return toJson(await navigator.credentials.create({ publicKey }));
}

function toJson(credential) {
  try {
    return credential.toJSON();
  } catch {
    // Not defined, or replaced by a browser extension whose credentials do not have it.
  }
  const { id, type, response } = credential;
  const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const present = names.filter((name) => response[name]);
  const parts = Object.fromEntries(present.map((name) => [name, toText(response[name])]));
  return { id, rawId: id, type, response: { ...parts, transports: response.getTransports?.() ?? [] } };
}

function toBytes(base64url) {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function toText(buffer) {
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
