/** Moderation over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { fields, object, path } from '../engine/source.js';
import { PROFILE } from './shapes.js';

const setRole: Endpoint = {
  method: 'PUT',
  path: '/moderation/members/{memberId}/role',
  summary: 'Change the role of another member',
  description:
    'Admins only. Nobody changes their own role, and the last admin keeps it. An account without a password requires a login within the ' +
    'last 10 minutes. `npx daybook member role` makes the first admin.',
  example: { memberId: 2, role: 'MODERATOR', password: 'the fog lifts at nine' },
  message: 'roleChanged',
  operation: `mutation ($input: SetRoleInput!) { setRole(input: $input) { ...Profile } } ${PROFILE}`,
  variables: { input: object({ memberId: path('memberId'), ...fields('role', 'password') }) },
  errors: ['MEMBER_NOT_FOUND', 'PROOF_REQUIRED', 'ROLE_MISSING'],
};

export const moderationEndpoints = [setRole];
