/** Links in emails: the tokens of those that a server received, and requests with them over both APIs. */
import { expect } from 'chai';
import { addLink } from '../../src/commands/one-time-link.js';
import type { TokenPurpose } from '../../src/models/member/one-time-token.js';
import { JWT_SECRET, type TestApp } from './app.js';
import { call, graphql } from './client.js';
import { sendMails } from './mails.js';
import type { SmtpServer } from './smtp.js';

export type LinkPage = 'reset' | 'confirm' | 'undo';

/** Sends what waits. @returns the tokens of the links of this page to this address, oldest first */
export async function tokensFor(app: TestApp, smtp: SmtpServer, page: LinkPage, address: string): Promise<string[]> {
  await sendMails(app);
  const mine = smtp.messages.filter(({ to }) => to.join().toLowerCase() === address.toLowerCase());
  const pattern = new RegExp(`/account/${page}#token=([\\w-]{43})\\n`);
  return mine.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []);
}

/** The token of the only link of this page to this address. */
export async function tokenFor(app: TestApp, smtp: SmtpServer, page: LinkPage, address: string): Promise<string> {
  const tokens = await tokensFor(app, smtp, page, address);
  expect(tokens, `links of ${page} to ${address}`).to.have.length(1);
  return tokens[0] as string;
}

export interface RecoveryApi {
  /** Each returns `1`, or the key of the error. */
  forgot(email: string): Promise<string>;
  reset(token: string, password: string): Promise<string>;
  change(accessToken: string, email: string, password?: string): Promise<string>;
  confirm(token: string, password?: string): Promise<string>;
  resend(email: string): Promise<string>;
  undo(token: string): Promise<string>;
}

/** The operations of recovery over both APIs. */
export function recoveryApis(app: TestApp): Record<'REST' | 'GraphQL', RecoveryApi> {
  const rest = async (target: string, status: number, json: object, token?: string) => {
    const response = await call(app.url, target, { json, ...(token && { token }) });
    if (response.body?.code === '1') expect([response.status, response.body.data]).to.deep.equal([status, {}]);
    return response.body?.code ?? '';
  };
  const mutate = async (mutation: string, variables: Record<string, unknown>, token?: string) => {
    const { errors } = await graphql(app.url, mutation, variables, token);
    return errors?.[0]?.extensions.code ?? '1';
  };
  const byEmail = (field: string) => (email: string) =>
    mutate(`mutation ($email: String!) { ${field}(email: $email) }`, { email });
  const byToken = (field: string) => (token: string) =>
    mutate(`mutation ($token: String!) { ${field}(token: $token) }`, { token });
  return {
    REST: {
      forgot: (email) => rest('POST /api/auth/password/forgot', 202, { email }),
      reset: (token, password) => rest('POST /api/auth/password/reset', 200, { token, password }),
      change: (token, email, password) => rest('PUT /api/members/me/email', 202, { email, password }, token),
      confirm: (token, password) => rest('POST /api/auth/email/confirm', 200, { token, password }),
      resend: (email) => rest('POST /api/auth/email/resend', 202, { email }),
      undo: (token) => rest('POST /api/auth/email/undo', 200, { token }),
    },
    GraphQL: {
      forgot: byEmail('requestPasswordReset'),
      reset: (token, password) =>
        mutate('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', {
          input: { token, password },
        }),
      change: (token, email, password) =>
        mutate(
          'mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { id } }',
          { input: { email, password } },
          token,
        ),
      confirm: (token, password) =>
        mutate('mutation ($token: String!, $password: String) { confirmEmail(token: $token, password: $password) }', {
          token,
          password,
        }),
      resend: byEmail('resendConfirmation'),
      undo: byToken('undoEmailChange'),
    },
  };
}

/** The token of a new link, without an email. */
export async function buildLink(
  { database }: Pick<TestApp, 'database'>,
  memberId: number,
  purpose: TokenPurpose,
  email: string,
): Promise<string> {
  const source = { database, jwtSecret: JWT_SECRET };
  const { token } = await database.transaction((db) => addLink(db, source, { memberId, purpose, email }));
  return token;
}
