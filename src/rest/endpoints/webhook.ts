/** Webhooks over REST, for admins. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';
import { TIMES } from './shapes.js';

const WEBHOOK_EXAMPLE = {
  id: 1,
  url: 'https://hooks.example.org/daybook',
  events: ['article.created', 'article.updated', 'article.removed'],
  enabled: true,
  disabledReason: null,
  pendingSince: null,
  nextAttemptAt: null,
  lastSuccessAt: '2026-11-20T10:05:12',
  failures: 0,
  createdAt: TIMES.createdAt,
};

const SECRET_EXAMPLE = { secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' };

const WEBHOOK = plainShape('Webhook', 'A webhook of the service. Times are in UTC.', WEBHOOK_EXAMPLE);

const CREATED_WEBHOOK = plainShape('CreatedWebhook', 'A new webhook with its secret. Times are in UTC.', {
  ...WEBHOOK_EXAMPLE,
  lastSuccessAt: null,
  ...SECRET_EXAMPLE,
});

const WEBHOOK_SECRET = plainShape('WebhookSecret', 'A new secret of a webhook.', SECRET_EXAMPLE);

const ATTEMPT = plainShape('WebhookAttempt', 'An attempt to deliver a message of a webhook. Times are in UTC.', {
  messageId: 'msg_0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52',
  event: 'article.updated',
  cursor: '00000000000000000001.2s.2s',
  attemptedAt: '2026-11-20T10:05:12',
  status: 503,
  error: null,
  durationMs: 48,
  response: 'Service Unavailable',
});

const ADMINS_ONLY = 'Admins only; not with an API token.';
const PASSWORD = 'the fog lifts at nine';
const WITH_PROOF = 'Takes `password`; an account without one requires a login within the last 10 minutes.';

const listWebhooks: Endpoint = {
  method: 'GET',
  path: '/webhooks',
  summary: 'List the webhooks of the service',
  description: `${ADMINS_ONLY} There are at most 20.`,
  operation: ['webhooks', WEBHOOK],
  errors: ['ROLE_MISSING'],
};

const createWebhook: Endpoint = {
  method: 'POST',
  path: '/webhooks',
  summary: 'Create a webhook',
  description:
    `${ADMINS_ONLY} It receives what changes from now on. ${WITH_PROOF} ` +
    'The response is the only one that contains the secret.',
  example: { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events, password: PASSWORD },
  status: 201,
  message: 'webhookCreated',
  operation: ['createWebhook', CREATED_WEBHOOK],
  errors: ['PROOF_REQUIRED', 'ROLE_MISSING', 'WEBHOOK_LIMIT_REACHED'],
};

const readWebhook: Endpoint = {
  method: 'GET',
  path: '/webhooks/{webhookId}',
  summary: 'Read a webhook',
  description: `${ADMINS_ONLY} With what waits, the next attempt, and why it was disabled.`,
  operation: ['webhook', WEBHOOK],
  errors: ['ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

const updateWebhook: Endpoint = {
  method: 'PATCH',
  path: '/webhooks/{webhookId}',
  summary: 'Change, enable or disable a webhook',
  description:
    `${ADMINS_ONLY} Only the given fields change. A new \`url\` takes \`password\`, as a new webhook. ` +
    'Enabled again, it continues where it stopped.',
  example: { webhookId: 1, events: ['changes'] },
  message: 'webhookChanged',
  operation: ['updateWebhook', WEBHOOK],
  errors: ['CURSOR_EXPIRED', 'PROOF_REQUIRED', 'ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

const deleteWebhook: Endpoint = {
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  summary: 'Delete a webhook',
  description: `${ADMINS_ONLY} What waits for it is not sent.`,
  message: 'webhookDeleted',
  operation: 'deleteWebhook',
  errors: ['ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

const rotateSecret: Endpoint = {
  method: 'POST',
  path: '/webhooks/{webhookId}/secret',
  summary: 'Replace the secret of a webhook',
  description:
    `${ADMINS_ONLY} For 24 hours messages are signed with both secrets. ${WITH_PROOF} ` +
    'The response is the only one that contains the secret.',
  example: { webhookId: 1, password: PASSWORD },
  message: 'secretRotated',
  operation: ['rotateWebhookSecret', WEBHOOK_SECRET],
  errors: ['PROOF_REQUIRED', 'ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

const testWebhook: Endpoint = {
  method: 'POST',
  path: '/webhooks/{webhookId}/test',
  summary: 'Send a test message',
  description: `${ADMINS_ONLY} A message of the type \`webhook.test\` is sent at once, also to a disabled webhook, and not again.`,
  message: 'webhookTested',
  operation: ['testWebhook', ATTEMPT],
  errors: ['ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

const resumeWebhook: Endpoint = {
  method: 'POST',
  path: '/webhooks/{webhookId}/resume',
  summary: 'Enable a webhook again',
  description:
    `${ADMINS_ONLY} It continues where it stopped, at \`since\`, a cursor of the feed of changes or of an attempt, whose message it skips then, or ` +
    'with `latest` at what changes from now on.',
  example: { webhookId: 1, since: 'latest' },
  message: 'webhookResumed',
  operation: ['resumeWebhook', WEBHOOK],
  errors: ['CURSOR_EXPIRED', 'ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

const listAttempts: Endpoint = {
  method: 'GET',
  path: '/webhooks/{webhookId}/attempts',
  summary: 'List the latest attempts to deliver messages',
  description: `${ADMINS_ONLY} Newest first; the latest 200 are kept.`,
  operation: ['webhookAttempts', ATTEMPT],
  errors: ['ROLE_MISSING', 'WEBHOOK_NOT_FOUND'],
};

export const webhookEndpoints = [
  listWebhooks,
  createWebhook,
  readWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  resumeWebhook,
  listAttempts,
];
