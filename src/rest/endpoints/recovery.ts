/** Recovery of accounts by email, and the email address of the authenticated member, over REST. */
import type { Endpoint } from '../engine/endpoint.js';

const TOKEN = 'hpCkzc4dAT1oEFu3hnNK2aUKqHNqM0rhPVHQJ1ZqyRg';

const forgotPassword: Endpoint = {
  method: 'POST',
  path: '/auth/password/forgot',
  summary: 'Request a link for a new password',
  description:
    'No authentication required. If an account has this email address, it receives a link that is valid for 1 hour. The response is the ' +
    'same for every address. One address receives at most 3 emails in an hour; requests are limited per network (429 with `Retry-After`).',
  example: { email: 'mina@example.org' },
  status: 202,
  message: 'resetRequested',
  operation: 'requestPasswordReset',
  errors: ['MAIL_NOT_CONFIGURED'],
};

const resetPassword: Endpoint = {
  method: 'POST',
  path: '/auth/password/reset',
  summary: 'Set a new password with the token of a link',
  description:
    'No authentication required. The token works once, and until a newer link is requested or the password is changed. All sessions ' +
    'and API tokens of the member end: log in with the new password.',
  example: { token: TOKEN, password: 'eight herons at the pier' },
  message: 'passwordReset',
  operation: 'resetPassword',
  errors: ['TOKEN_INVALID'],
};

const changeEmail: Endpoint = {
  method: 'PUT',
  path: '/members/me/email',
  summary: 'Change your email address',
  description:
    'Authentication required. The new address receives a confirmation link, and replaces the current one when this link is used within ' +
    '3 days. The current address receives a link that undoes the change within 1 week. An account without a password requires a login ' +
    'within the last 10 minutes.',
  example: { email: 'mina@example.com', password: 'the fog lifts at nine' },
  status: 202,
  message: 'emailChangeRequested',
  operation: 'changeEmail',
  errors: ['MAIL_NOT_CONFIGURED', 'PROOF_REQUIRED'],
};

const confirmEmail: Endpoint = {
  method: 'POST',
  path: '/auth/email/confirm',
  summary: 'Confirm an email address with the token of a link',
  description:
    'No authentication required. A new address becomes that of the account; if another member has it meanwhile, the status is 409. The first ' +
    'confirmation of an account ends its sessions and API tokens, and removes passkeys and social accounts that were added before. If the address ' +
    'was registered more than once, a new `password` is required (400 on `password` without it).',
  example: { token: TOKEN },
  message: 'emailConfirmed',
  operation: 'confirmEmail',
  errors: ['TOKEN_INVALID', 'EMAIL_TAKEN'],
};

const resendConfirmation: Endpoint = {
  method: 'POST',
  path: '/auth/email/resend',
  summary: 'Request the confirmation link again',
  description:
    'No authentication required. For the address of an account that is not confirmed, or the new address of a change. The response is the ' +
    'same for every address, and the limits are those of links for a new password.',
  example: { email: 'mina@example.org' },
  status: 202,
  message: 'confirmationRequested',
  operation: 'resendConfirmation',
  errors: ['MAIL_NOT_CONFIGURED'],
};

const undoEmailChange: Endpoint = {
  method: 'POST',
  path: '/auth/email/undo',
  summary: 'Undo a change of the email address with the token of a link',
  description:
    'No authentication required. The account keeps or regains the address that received the link, and all sessions and API tokens end. The password ' +
    'stays the same: request a new one if another person knows it.',
  example: { token: TOKEN },
  message: 'emailChangeUndone',
  operation: 'undoEmailChange',
  errors: ['TOKEN_INVALID', 'EMAIL_TAKEN'],
};

export const recoveryEndpoints = [
  forgotPassword,
  resetPassword,
  changeEmail,
  confirmEmail,
  resendConfirmation,
  undoEmailChange,
];
