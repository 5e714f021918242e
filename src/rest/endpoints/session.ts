/** Sessions and security events of the authenticated member, over REST. */
import { SessionIdArgs } from '../../schema/auth.js';
import { PageArgs } from '../../schema/page.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField, rootList } from '../engine/endpoint.js';
import { pageNumber, path, query } from '../engine/source.js';
import { PAGINATION, SECURITY_EVENT, SESSION } from './shapes.js';

const listSessions: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/me/sessions',
  group: 'Member',
  summary: 'List your sessions, most recently used first',
  description: 'Authentication required. A session is one login on one device. Not paginated: there are at most 100.',
  example: {},
  auth: 'bearer',
  operation: `{ sessions { ...Session } } ${SESSION}`,
  variables: {},
  result: rootList('sessions'),
};

const endOtherSessions: Endpoint = {
  method: 'DELETE',
  path: '/members/me/sessions',
  group: 'Member',
  summary: 'End all of your sessions except this one',
  description: 'Authentication required. Their access and refresh tokens are invalid immediately.',
  example: {},
  auth: 'bearer',
  status: 200,
  message: 'sessionsEnded',
  body: 'none',
  operation: 'mutation { endOtherSessions { id } }',
  variables: {},
  result: nothing,
  errors: [],
};

const endSession: Endpoint = {
  method: 'DELETE',
  path: '/members/me/sessions/{sessionId}',
  group: 'Member',
  summary: 'End one of your sessions',
  description: 'Authentication required. Its access and refresh tokens are invalid immediately.',
  example: { sessionId: '7c4a4e1c-6b0f-4d83-9a53-2f1f6b9d0c11' },
  auth: 'bearer',
  status: 200,
  message: 'ownSessionEnded',
  body: 'none',
  operation: 'mutation ($id: ID!) { endSession(id: $id) { id } }',
  variables: { id: path('sessionId') },
  args: SessionIdArgs,
  result: nothing,
  errors: ['SESSION_NOT_FOUND'],
};

const listSecurityEvents: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/me/security-events',
  group: 'Member',
  summary: 'List the security events of your account, newest first',
  description:
    'Authentication required. Logins, failed logins and changes of the account in the last 180 days, at most 1,000 of each kind.',
  example: { page: 1, size: 10 },
  auth: 'bearer',
  operation: `query ($page: Int, $size: Int) {
    securityEvents(page: $page, size: $size) { contents { ...SecurityEvent } pagination { ...Pagination } }
  } ${SECURITY_EVENT} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  args: PageArgs,
  result: rootField('securityEvents'),
};

export const sessionEndpoints = [listSessions, endOtherSessions, endSession, listSecurityEvents];
