/** Decisions of moderators for the members concerned and for moderators, and appeals, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { field, pageNumber, path, query } from '../engine/source.js';
import { PAGINATION } from './shapes.js';

const FIELDS =
  'id action articleId commentId until rule statement appealableUntil appealText appealedAt answerId appealOf createdAt';

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

const OWN_DECISION = shape({
  fragment: `fragment OwnDecision on OwnDecision { ${FIELDS} }`,
  description: 'A decision of a moderator or an operator that concerns the authenticated member. Times are in UTC.',
  example: DECISION_EXAMPLE,
});

const MODERATOR_DECISION = shape({
  fragment: `fragment ModeratorDecision on ModeratorDecision { ${FIELDS} memberId moderatorId note }`,
  description: 'A decision of a moderator or an operator, as moderators see it. Times are in UTC.',
  example: { ...DECISION_EXAMPLE, memberId: 8, moderatorId: 2, note: 'The fourth account with this shop.' },
});

const listOwnDecisions: Endpoint = {
  method: 'GET',
  path: '/members/me/decisions',
  group: 'Moderation',
  summary: 'List the decisions that concern you, newest first',
  description:
    'Authentication required; not with an API token. Decisions of moderators and operators about your content, your account and your appeals, ' +
    'with their reasons. Nobody else except moderators sees this list.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    myDecisions(page: $page, size: $size) { contents { ...OwnDecision } pagination { ...Pagination } }
  } ${OWN_DECISION} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
};

const readDecision: Endpoint = {
  method: 'GET',
  path: '/decisions/{decisionId}',
  summary: 'Read a decision that concerns you',
  description: 'Authentication required; not with an API token. For others, it does not exist.',
  example: { decisionId: 1 },
  operation: `query ($id: ID!) { decision(id: $id) { ...OwnDecision } } ${OWN_DECISION}`,
  variables: { id: path('decisionId') },
  errors: ['DECISION_NOT_FOUND'],
};

const appeal: Endpoint = {
  method: 'POST',
  path: '/decisions/{decisionId}/appeal',
  summary: 'Appeal a decision that concerns you',
  description:
    'Authentication required; not with an API token. Suspended members may appeal too. Removals and suspensions can be appealed once, until ' +
    '`appealableUntil`; later, and for other decisions, it is 409 `ALREADY_DECIDED`. Another moderator decides, where there is one.',
  example: { decisionId: 1, text: 'The links lead to my own articles.' },
  status: 201,
  message: 'decisionAppealed',
  operation: `mutation ($decisionId: ID!, $text: String!) {
    appeal(decisionId: $decisionId, text: $text) { ...OwnDecision }
  } ${OWN_DECISION}`,
  variables: { decisionId: path('decisionId'), text: field('text') },
  errors: ['ALREADY_APPEALED', 'ALREADY_DECIDED', 'DECISION_NOT_FOUND'],
};

const listDecisions: Endpoint = {
  method: 'GET',
  path: '/moderation/decisions',
  summary: 'List the decisions of all moderators, newest first',
  description:
    'Moderators only; not with an API token. Without those that concern yourself, which are in `/members/me/decisions`.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    moderationDecisions(page: $page, size: $size) { contents { ...ModeratorDecision } pagination { ...Pagination } }
  } ${MODERATOR_DECISION} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  errors: ['ROLE_MISSING'],
};

export const appealEndpoints = [listOwnDecisions, readDecision, appeal, listDecisions];
