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
  notForApiTokens: (field: string) => `${field} is not available to API tokens: log in.`,

  currentPasswordWrong: 'is not your current password',
  currentPasswordRequired: 'is required to set a new password',
  passwordRequiresEmail: 'requires an email to log in with, and this account has none',
  passwordRequiresRecentLogin: 'can be set only in the first 10 minutes after a login: log in again',
  passwordRequired: 'is required: send your current password',
  noChanges: 'The request contains no changes: send at least one field or a file.',

  providerUnsupported: (names: readonly string[]) => `This provider is not supported: expected ${names.join(', ')}.`,
  noLoginProvider: 'No login provider is configured.',
  loginNotConfirmed: (provider: string) => `${provider} did not confirm this login: start it again.`,
  redirectNotAllowed: 'is not an allowed redirect URI',
  accountExists: (provider: string) =>
    `An account with the email of this ${provider} account already exists: log in with your existing method, ` +
    'then link it with the mutation linkSocialAccount.',
  linkedToAnother: (provider: string) => `This ${provider} account is linked to another member.`,
};
