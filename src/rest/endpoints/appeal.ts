/** Decisions of moderators for the members concerned and for moderators, and appeals, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';

const DECISION_EXAMPLE = {
  id: 1,
  action: 'REMOVE',
  articleId: null,
  commentId: 3,
  until: null,
  rule: 'No advertising',
  statement: 'The comment consists of links to a shop.',
  appealableUntil: null,
  appealText: 'The links lead to my own articles.',
  appealedAt: '2026-11-20T10:30:00',
  answerId: null,
  appealOf: null,
  createdAt: '2026-11-20T09:30:00',
};

const OWN_DECISION = plainShape(
  'OwnDecision',
  'A decision of a moderator or an operator that concerns the authenticated member. Times are in UTC.',
  DECISION_EXAMPLE,
);

const MODERATOR_DECISION = plainShape(
  'ModeratorDecision',
  'A decision of a moderator or an operator, as moderators see it. Times are in UTC.',
  { ...DECISION_EXAMPLE, memberId: 8, moderatorId: 2, note: 'The fourth account with this shop.' },
);

const listOwnDecisions: Endpoint = {
  method: 'GET',
  path: '/members/me/decisions',
  group: 'Moderation',
  summary: 'List the decisions that concern you, newest first',
  description:
    'Authentication required; not with an API token. Decisions of moderators and operators about your content, your account and your appeals, ' +
    'with their reasons. Only you and moderators can read them.',
  operation: ['myDecisions', OWN_DECISION],
};

const readDecision: Endpoint = {
  method: 'GET',
  path: '/decisions/{decisionId}',
  summary: 'Read a decision that concerns you',
  description: 'Authentication required; not with an API token. For others, it does not exist.',
  operation: ['decision', OWN_DECISION],
  errors: ['DECISION_NOT_FOUND'],
};

const appeal: Endpoint = {
  method: 'POST',
  path: '/decisions/{decisionId}/appeal',
  summary: 'Appeal a decision that concerns you',
  description:
    'Authentication required; not with an API token. Suspended members may appeal too. Removals and suspensions can be appealed once, until ' +
    '`appealableUntil`; later, and for other decisions, it is 409 `ALREADY_DECIDED`. Another moderator decides, where there is one.',
  example: { text: 'The links lead to my own articles.' },
  status: 201,
  message: 'decisionAppealed',
  operation: ['appeal', OWN_DECISION],
  errors: ['ALREADY_APPEALED', 'ALREADY_DECIDED', 'DECISION_NOT_FOUND'],
};

const listDecisions: Endpoint = {
  method: 'GET',
  path: '/moderation/decisions',
  summary: 'List the decisions of all moderators, newest first',
  description:
    'Moderators only; not with an API token. Without those that concern yourself, which are in `/members/me/decisions`.',
  operation: ['moderationDecisions', MODERATOR_DECISION],
  errors: ['ROLE_MISSING'],
};

export const appealEndpoints = [listOwnDecisions, readDecision, appeal, listDecisions];
