/** Sessions and security events of the authenticated member, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { TIMES } from './shapes.js';

const CLIENT = { device: 'Mozilla/5.0 (X11; Linux x86_64)', address: '203.0.113.7' };

const SESSION = plainShape('Session', 'A session of the authenticated member. Times are in UTC.', {
  id: '7c4a4e1c-6b0f-4d83-9a53-2f1f6b9d0c11',
  ...CLIENT,
  createdAt: TIMES.createdAt,
  lastUsedAt: '2026-11-20T10:05:12',
  current: true,
});

const SECURITY_EVENT = shape({
  fragment: `fragment SecurityEvent on SecurityEvent { id kind provider address device createdAt }`,
  description: 'A security event of the account of the authenticated member. Times are in UTC.',
  example: { id: 7, kind: 'LOGIN', provider: null, ...CLIENT, createdAt: TIMES.createdAt },
});

const listSessions: Endpoint = {
  method: 'GET',
  path: '/members/me/sessions',
  summary: 'List your sessions, most recently used first',
  description: 'Authentication required. A session is one login on one device. Not paginated.',
  operation: ['sessions', SESSION],
};

const endOtherSessions: Endpoint = {
  method: 'DELETE',
  path: '/members/me/sessions',
  summary: 'End all of your sessions except this one',
  description: 'Authentication required. Their access and refresh tokens are invalid immediately.',
  message: 'sessionsEnded',
  operation: 'endOtherSessions',
};

const endSession: Endpoint = {
  method: 'DELETE',
  path: '/members/me/sessions/{sessionId}',
  summary: 'End one of your sessions',
  description: 'Authentication required. Its access and refresh tokens are invalid immediately.',
  example: { sessionId: '7c4a4e1c-6b0f-4d83-9a53-2f1f6b9d0c11' },
  message: 'ownSessionEnded',
  operation: 'endSession',
  errors: ['SESSION_NOT_FOUND'],
};

const listSecurityEvents: Endpoint = {
  method: 'GET',
  path: '/members/me/security-events',
  summary: 'List the security events of your account, newest first',
  description:
    'Authentication required. Logins, failed logins and changes of the account in the last 180 days, at most 1,000 of each kind.',
  operation: ['securityEvents', SECURITY_EVENT],
};

export const sessionEndpoints = [listSessions, endOtherSessions, endSession, listSecurityEvents];
