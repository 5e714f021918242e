/** Requests for every documented response of the endpoints of recovery. */
import { randomUUID } from 'node:crypto';
import type { TokenPurpose } from '../../src/models/member/one-time-token.js';
import { buildMember } from './build.js';
import { call } from './client.js';
import { type Cast, type RequestCases, requestsBy } from './documented-responses.js';
import { buildLink } from './links.js';
import { ageLogins, removePassword } from './session.js';

/** The settings of a service that sends emails, to a server that does not exist. */
export const UNREACHABLE_SMTP = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@example.org' };

export function recoveryRequestCases(cast: Cast): RequestCases {
  const { json } = requestsBy(cast);
  let count = 0;
  const unused = () => `unused${++count}@example.org`;
  const linked = async (purpose: TokenPurpose, address?: string) => {
    const { id, email } = await buildMember(cast.app.url);
    return { token: await buildLink(cast.app, id, purpose, address ?? email) };
  };
  const taken = (purpose: TokenPurpose) => async () => ({ json: await linked(purpose, cast.other().email) });
  const password = 'eight herons at the pier';
  const unproven = async () => {
    const { id, token } = await buildMember(cast.app.url);
    await removePassword(cast.app, id);
    await ageLogins(cast.app, id, 11);
    return { token, json: { email: unused() } };
  };
  const reused = (json: object) => ({
    options: async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      await call(cast.app.url, 'POST /api/auth/email/resend', { json: { email: unused() }, headers });
      return { json, headers };
    },
  });
  return {
    'POST /api/auth/password/forgot': {
      IDEMPOTENCY_KEY_REUSED: reused({ email: unused() }),
      202: { options: () => ({ json: { email: unused() } }) },
      VALIDATION_FAILED: { options: json({}) },
    },
    'POST /api/auth/password/reset': {
      IDEMPOTENCY_KEY_REUSED: reused({ token: 'x', password }),
      200: { options: async () => ({ json: { ...(await linked('reset')), password } }) },
      VALIDATION_FAILED: { options: json({}) },
      TOKEN_INVALID: { options: json({ token: 'x', password }) },
    },
    'PUT /api/members/me/email': {
      202: { options: () => json({ email: unused(), password: cast.member().password })() },
      VALIDATION_FAILED: { options: json({}) },
      PROOF_REQUIRED: { options: unproven },
    },
    'POST /api/auth/email/confirm': {
      IDEMPOTENCY_KEY_REUSED: reused({ token: 'x' }),
      200: { options: async () => ({ json: await linked('confirm') }) },
      VALIDATION_FAILED: { options: json({}) },
      TOKEN_INVALID: { options: json({ token: 'x' }) },
      EMAIL_TAKEN: { options: taken('change') },
    },
    'POST /api/auth/email/resend': {
      IDEMPOTENCY_KEY_REUSED: reused({ email: unused() }),
      202: { options: () => ({ json: { email: unused() } }) },
      VALIDATION_FAILED: { options: json({}) },
    },
    'POST /api/auth/email/undo': {
      IDEMPOTENCY_KEY_REUSED: reused({ token: 'x' }),
      200: { options: async () => ({ json: await linked('undo') }) },
      VALIDATION_FAILED: { options: json({}) },
      TOKEN_INVALID: { options: json({ token: 'x' }) },
      EMAIL_TAKEN: { options: taken('undo') },
    },
  };
}
