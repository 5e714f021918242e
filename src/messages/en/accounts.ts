/** Messages about logins, sessions, passwords and members, in English. */

export const accounts = {
  accessTokenInvalid: 'The access token is not valid.',
  sessionEnded: 'The session of this access token has ended.',
  refreshTokenReused: 'The refresh token was used before: its session has ended. Log in again.',
  notYourSession: 'is not one of your sessions',

  currentPasswordWrong: 'is not your current password',
  currentPasswordNeeded: 'is needed to set a new password',
  passwordNeedsEmail: 'needs an email to log in with, and this account has none',
  passwordNeedsLogin: 'can be set in the first 10 minutes after a login: log in again',
  passwordNeeded: 'is needed: your current password',
  nothingToChange: 'Nothing to change: send at least one field or a file.',

  providerExpected: (names: readonly string[]) => `This provider is not supported: expected ${names.join(', ')}.`,
  noProvider: 'No login provider is configured.',
  loginUnconfirmed: (provider: string) => `${provider} did not confirm this login: begin it again.`,
  redirectNotAllowed: 'is not one of the allowed redirect addresses',
  accountExists: (provider: string) =>
    `An account with the email of this ${provider} account exists: log in to it in the way you did before, ` +
    'then link it with the mutation linkSocialAccount.',
  linkedToAnother: (provider: string) => `This ${provider} account is linked to another member.`,
  notLinked: 'is not linked to your account',
  onlyWayToLogIn: 'is your only way to log in: set a password or link another account first',
};
