/** Moderation over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { PROFILE } from './shapes.js';

const setRole: Endpoint = {
  method: 'PUT',
  path: '/moderation/members/{memberId}/role',
  summary: 'Change the role of another member',
  description:
    'Admins only. Admins cannot change their own role, and the last admin keeps it. An account without a password requires a login within the ' +
    'last 10 minutes. `npx daybook member role` makes the first admin.',
  example: { memberId: 2, role: 'MODERATOR', password: 'the fog lifts at nine' },
  message: 'roleChanged',
  operation: ['setRole', PROFILE],
  errors: ['MEMBER_NOT_FOUND', 'PROOF_REQUIRED', 'ROLE_MISSING'],
};

const REPORT = plainShape('Report', 'A report of the authenticated member. Times are in UTC.', {
  id: 1,
  articleId: null,
  commentId: 1,
  memberId: null,
  reason: 'SPAM',
  text: 'The same text is under three articles.',
  createdAt: '2026-11-20T10:05:12',
});

const QUEUE_TARGET = plainShape('QueueTarget', 'What waits for a decision. One of the IDs is not null.', {
  articleId: null,
  commentId: 1,
  memberId: null,
  appealId: null,
});

const QUEUED_REPORT = plainShape('QueuedReport', 'A report, without its author. Times are in UTC.', {
  reason: 'SPAM',
  text: 'The same text is under three articles.',
  createdAt: '2026-11-20T10:05:12',
});

const QUEUE_ENTRY = shape({
  fragment: `fragment QueueEntry on QueueEntry {
    kind target { ...QueueTarget } excerpt author: authorName memberId reports { ...QueuedReport } reportCount spamScore revision createdAt
  } ${QUEUE_TARGET} ${QUEUED_REPORT}`,
  description: 'What waits for a decision of a moderator. Times are in UTC.',
  example: {
    kind: 'REPORT',
    excerpt: 'Which lighthouse is it?',
    author: 'jun',
    memberId: 2,
    reportCount: 1,
    spamScore: null,
    revision: '1-1-0',
    createdAt: '2026-11-20T10:05:12',
  },
});

const DECISION = plainShape('Decision', 'A decision of a moderator or an operator. Times are in UTC.', {
  id: 1,
  action: 'DISMISS',
  memberId: 2,
  articleId: null,
  commentId: 1,
  appealOf: null,
  until: null,
  rule: '',
  statement: '',
  note: 'A question about the article.',
  moderatorId: 1,
  createdAt: '2026-11-20T11:00:00',
});

const reportContent: Endpoint = {
  method: 'POST',
  path: '/reports',
  summary: 'Report an article, a comment or a member to the moderators',
  description:
    'Authentication required; not with an API token. One of `articleId`, `commentId` and `memberId` is given. At most 20 reports a day. Your ' +
    'name is not disclosed. You are notified of the decision, and can report the same target again when it has changed, or after 30 days.',
  example: { commentId: 1, reason: 'SPAM', text: 'The same text is under three articles.' },
  status: 201,
  message: 'reported',
  operation: ['reportContent', REPORT],
  errors: ['ALREADY_REPORTED', 'ARTICLE_NOT_FOUND', 'COMMENT_NOT_FOUND', 'MEMBER_NOT_FOUND'],
};

const listQueue: Endpoint = {
  method: 'GET',
  path: '/moderation/queue',
  summary: 'List what waits for a decision, oldest first',
  description:
    'Moderators only; not with an API token. `REPORT`: reported content and members, each once, with the latest 20 reports; `HELD`: comments ' +
    'that wait for approval; `APPEAL`: appeals. What concerns yourself is not listed. Of a private article, and comments on it, only the ID and the reports ' +
    'are shown.',
  operation: ['moderationQueue', QUEUE_ENTRY],
  errors: ['ROLE_MISSING'],
};

const decide: Endpoint = {
  method: 'POST',
  path: '/moderation/decisions',
  summary: 'Decide on a report, a comment that waits for approval, a member, or an appeal',
  description:
    'Moderators only; not with an API token. One ID is given; `appealId` is that of an appealed decision, which `UPHOLD`, `RESTORE` or `UNSUSPEND` answers. ' +
    'The member concerned receives `rule` and `statement`, which `REMOVE` and `SUSPEND` require; reporters are notified, and not named. ' +
    'Send the `revision` of the entry of the queue as `If-Match`, such as `"1-1-0"`, to decide only on what you have read.',
  example: { commentId: 1, action: 'DISMISS', note: 'A question about the article.' },
  status: 201,
  message: 'decided',
  operation: ['decide', DECISION],
  errors: [
    'ALREADY_DECIDED',
    'ARTICLE_NOT_FOUND',
    'COMMENT_NOT_FOUND',
    'DECISION_NOT_FOUND',
    'MEMBER_NOT_FOUND',
    'PRECONDITION_FAILED',
    'ROLE_MISSING',
  ],
};

export const moderationEndpoints = [setRole, reportContent, listQueue, decide];
