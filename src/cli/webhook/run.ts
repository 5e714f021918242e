/** Runs the subcommands of `daybook webhook`, except `listen`. */
import { addWebhook, deleteWebhook, parseEvents, requireWebhookUrl, resumeWebhook } from '../../commands/webhook.js';
import { LOCK_ROLES } from '../../models/member/administration.js';
import { MAX_WEBHOOKS, WEBHOOK_BY_ID, WEBHOOKS, type WebhookRow } from '../../models/webhook/webhook.js';
import type { Config } from '../../platform/config/index.js';
import { readSecrets } from '../../platform/config/secrets.js';
import { AppError, OperatorError } from '../../platform/errors.js';
import { asOperator, type OperatorOptions } from '../operator.js';
import type { Terminal } from '../terminal.js';

export interface AddWebhookOptions {
  event: string[];
}

export interface ResumeWebhookOptions {
  since?: string;
}

export function listWebhooks(terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'webhook list', {}, async ({ database, print }) => {
    for (const webhook of await database.query(WEBHOOKS, [MAX_WEBHOOKS, 0])) print(lineOf(webhook));
  });
}

export function createWebhook(url: string, { event }: AddWebhookOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'webhook add', {}, async (operator) => {
    const { config } = operator;
    const webhook = checked(() => {
      requireWebhookUrl(config, url);
      return { url, events: parseEvents(event) };
    });
    const jwtSecret = await jwtSecretOf(config);
    await operator.record({ kind: 'WEBHOOK_CREATED', memberId: null }, async (db) => {
      await db.query(LOCK_ROLES, [[]]);
      const { id, secret } = await addWebhook(db, jwtSecret, webhook).catch(toOperatorError);
      terminal.stderr.write(`Webhook ${id} was created. Its secret:\n`);
      operator.print(secret);
    });
  });
}

export function resume(id: number, { since }: ResumeWebhookOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'webhook resume', {}, async (operator) => {
    await operator.record({ kind: 'WEBHOOK_CHANGED', memberId: null }, async (db) => {
      operator.print(lineOf(await resumeWebhook(db, id, since ?? null).catch(toOperatorError)));
    });
  });
}

export function remove(id: number, options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'webhook remove', options, async (operator) => {
    const [webhook] = await operator.database.query(WEBHOOK_BY_ID, [id]);
    if (webhook) await operator.confirm(`Webhook ${id} of ${webhook.url} is deleted`);
    await operator.record({ kind: 'WEBHOOK_DELETED', memberId: null }, async (db) => {
      await deleteWebhook(db, id).catch(toOperatorError);
      operator.print(`Webhook ${id} was deleted.`);
    });
  });
}

function lineOf({ id, url, events, enabled, disabledReason, failures, pendingSince }: WebhookRow): string {
  const state = [
    enabled ? 'enabled' : `disabled${disabledReason ? ` (${disabledReason})` : ''}`,
    ...(failures > 0 ? [`failures: ${failures}`] : []),
    ...(pendingSince ? [`waiting since ${pendingSince.toISOString()}`] : []),
  ];
  return `${id}  ${url}  ${events.join(',')}  ${state.join(', ')}`;
}

/** That of the service. @throws OperatorError */
async function jwtSecretOf({ jwtSecret, dataDir }: Config): Promise<string> {
  if (jwtSecret !== null) return jwtSecret;
  const { jwtSecret: generated } = await readSecrets(dataDir).catch(() => {
    throw new OperatorError(`${dataDir} has no secrets: set JWT_SECRET, or DATA_DIR to the data folder of the service`);
  });
  return generated;
}

/** @throws OperatorError in place of an error of the API */
export function checked<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    return toOperatorError(error);
  }
}

function toOperatorError(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const [field] = error.errors;
  throw new OperatorError(field ? `${field.field} ${field.message.in('en')}` : error.message.replace(/\.$/, ''));
}
