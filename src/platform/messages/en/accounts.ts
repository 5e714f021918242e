/** Messages about logins, sessions, passwords and members, in English. */

export const accounts = {
  accessTokenInvalid: 'The access token is not valid: log in again.',
  refreshTokenAsAccess: 'This is a refresh token: send the access token, or exchange this one for new tokens.',
  sessionEnded: 'The session of this access token has ended.',
  refreshTokenReused: 'The refresh token has already been used, and its session has ended: log in again.',

  apiTokenMalformed: 'This is not an API token: its length or its checksum is wrong. Copy it again.',
  apiTokenUnknown: 'The API token does not exist: it may have been deleted.',
  apiTokenExpired: 'The API token has expired: create another one.',
  scopeMissing: (field: string, needed: readonly string[], held: readonly string[]) =>
    `${field} requires an API token with the scope ${needed.join(' or ')}; this one has ${held.join(', ')}.`,
  draftIsScheduled:
    'The draft is scheduled for publication: an API token without the scope articles cannot change it. Its author can change it, or remove the schedule first.',
  draftIsShared:
    'The draft has a share link, which shows each change: an API token without the scope articles cannot change it. Its author can change it, or end the link first.',
  notForApiTokens: (field: string) => `${field} is not available to API tokens: log in.`,

  memberSuspended: (end: string | null, statement: string, rule: string) =>
    `Your account is suspended ${end === null ? 'without an end' : `until ${end} (UTC)`}. Reason: ${statement} Rule: ${rule}`,
  lastAdmin: 'The last admin keeps the role: make another member an admin first.',
  notOnYourself: 'Members cannot do this to their own account.',
  roleRequired: (roles: readonly string[]) => `This requires the role ${roles.join(' or ')}.`,
  otherModeratorDecides: 'Another moderator decides on appeals against your decisions.',
  notAppealable: 'This decision cannot be appealed.',
  appealTooLate: (months: number) => `A decision can be appealed within ${months} months, which have passed.`,
  roleTooHigh: (role: string) => `Your role does not permit this for a member with the role ${role}.`,

  currentPasswordWrong: 'is not your current password',
  currentPasswordRequired: 'is required to set a new password',
  passwordRequiresEmail: 'requires an email to log in with, and this account has none',
  passwordRequiresRecentLogin: 'can be set only in the first 10 minutes after a login: log in again',
  passwordRequired: 'is required: send your current password',
  noChanges: 'The request contains no changes: send at least one field or a file.',

  passkeyRejected:
    'This passkey was not accepted: it may have been removed, or the login took longer than five minutes. Start the login again.',
  passkeyLimitReached: (max: number) => `A member can have at most ${max} passkeys: remove one first.`,
  apiTokenLimitReached: (max: number) =>
    `A member can have at most ${max} API tokens, including expired ones: delete some first.`,
  categoryLimitReached: (max: number) => `A member can have at most ${max} categories besides the default one.`,
  styleLimitReached: (max: number) => `A member can have at most ${max} custom styles.`,
  credentialInvalid: (got: string) => `must be the result of PublicKeyCredential.toJSON(), got ${got}`,
  credentialPartInvalid: (part: string, maxBytes: number, got: string) =>
    `must have in ${part} 1 to ${maxBytes} bytes in base64url without padding, got ${got}`,
  credentialRegistered: 'is already registered as a passkey',
  credentialChallengeInvalid:
    'has a challenge that is not valid: it has been used, or was requested more than five minutes ago or by another session; request new options',
  credentialOriginWrong: (expected: readonly string[], got: string) =>
    `must be from ${expected.join(' or ')} (WEBAUTHN_ORIGINS), not in an iframe of another origin, got ${got}`,
  attestationUnsupported: (got: string) =>
    `must have no attestation, or self attestation, as the options request, got the format ${got}`,
  credentialUnverifiable: (rpId: string) =>
    `cannot be verified: expected user verification, the RP ID ${rpId}, and a key for ES256, EdDSA or RS256 of at most 1,024 bytes`,

  providerUnsupported: (names: readonly string[]) => `This provider is not supported: expected ${names.join(', ')}.`,
  noLoginProvider: 'No login provider is configured.',
  passwordOfRepeatedRegistration:
    'is required: this address was registered more than once, perhaps by another person. Choose the password of the account.',
  passwordOnlyForRegistration: 'is not permitted: this link changes the address of an existing account',
  subjectInvalid: (provider: string, got: string) =>
    `${provider} sent an invalid identifier of the account: it must have 1 to 255 ASCII characters, got ${got}.`,
  loginNotConfirmed: (provider: string) => `${provider} did not confirm this login: start it again.`,
  redirectNotAllowed: 'is not an allowed redirect URI',
  accountExists: (provider: string) =>
    `An account with the email of this ${provider} account already exists: log in with your existing method, ` +
    'then link it with the mutation linkSocialAccount.',
  linkedToAnother: (provider: string) => `This ${provider} account is linked to another member.`,
};
