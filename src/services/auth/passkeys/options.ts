/** The options that browsers pass to `navigator.credentials` (WebAuthn Level 3 §5.4, §5.5). */
import type { PasskeyRow, PasskeyUser } from '../../../models/member/passkey.js';
import type { Caller, Viewer } from '../policy.js';
import { CHALLENGE_LIFETIME_MS, issueChallenge, LOGIN, registrationIn } from './challenge.js';
import { ALGORITHMS, encodeUserHandle } from './verify.js';

const CREDENTIAL_TYPE = 'public-key';

/** PublicKeyCredentialRequestOptionsJSON for a login without a name: the authenticator offers its passkeys. */
export function loginOptions(caller: Caller) {
  return {
    challenge: issueChallenge(caller, LOGIN),
    timeout: CHALLENGE_LIFETIME_MS,
    rpId: caller.config.relyingParty.rpId,
    userVerification: 'required',
  };
}

/** PublicKeyCredentialCreationOptionsJSON. @param passkeys those of the member */
export function registrationOptions(
  caller: Caller,
  viewer: Viewer,
  { userHandle, email, nickname }: PasskeyUser,
  passkeys: readonly PasskeyRow[],
) {
  return {
    rp: { id: caller.config.relyingParty.rpId, name: caller.config.site.title },
    user: { id: encodeUserHandle(userHandle), name: email ?? nickname, displayName: nickname },
    challenge: issueChallenge(caller, registrationIn(viewer)),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: CREDENTIAL_TYPE, alg })),
    timeout: CHALLENGE_LIFETIME_MS,
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
      type: CREDENTIAL_TYPE,
      id: credentialId.toString('base64url'),
      transports,
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
}
