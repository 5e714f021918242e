/** Webhooks, for admins. No API token may use them. */
import { Arg, Args, Ctx, Resolver } from 'type-graphql';
import {
  addWebhook,
  changeAsAdmin,
  changeWebhook,
  deleteWebhook,
  parseEvents,
  requireWebhookUrl,
  resumeWebhook,
  rotateSecret,
  testWebhook,
} from '../commands/webhook.js';
import type { Context } from '../context.js';
import { ATTEMPTS_OF_WEBHOOK, COUNT_ATTEMPTS } from '../models/webhook/attempt.js';
import { COUNT_WEBHOOKS, WEBHOOK_BY_ID, WEBHOOKS, type WebhookRow } from '../models/webhook/webhook.js';
import { AuthorizedMutation, AuthorizedQuery } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { IdArgs } from '../schema/scalars.js';
import {
  CreatedWebhook,
  CreateWebhookInput,
  ResumeWebhookArgs,
  RotateWebhookSecretArgs,
  UpdateWebhookArgs,
  WebhookAttempt,
  WebhookAttemptPage,
  WebhookAttemptsArgs,
  WebhookPage,
  WebhookSecret,
  WebhookType,
} from '../schema/webhook.js';
import { requireProof } from '../services/auth/login.js';
import { requireAdmin } from '../services/auth/permission.js';
import { requireNotSuspended, type Viewer, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

const ADMINS_ONLY = 'Admins only.';

@Resolver()
export class WebhookResolver {
  @AuthorizedQuery(() => WebhookPage, { description: `The webhooks of the service. ${ADMINS_ONLY}` })
  async webhooks(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    adminOf(context);
    const { limit, offset } = pageSlice(args);
    const contents = await context.database.query(WEBHOOKS, [limit, offset]);
    const [counted] = await context.database.query(COUNT_WEBHOOKS, []);
    return toPage(args, { contents, total: counted?.total ?? 0 });
  }

  @AuthorizedQuery(() => WebhookType, { description: `A webhook. ${ADMINS_ONLY}` })
  async webhook(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<WebhookRow> {
    adminOf(context);
    const [row] = await context.database.query(WEBHOOK_BY_ID, [idOf(id)]);
    return requireRow(row, 'WEBHOOK_NOT_FOUND');
  }

  @AuthorizedQuery(() => WebhookAttemptPage, {
    description: `The latest attempts to deliver messages of a webhook. ${ADMINS_ONLY}`,
  })
  async webhookAttempts(@Args(() => WebhookAttemptsArgs) args: WebhookAttemptsArgs, @Ctx() context: Context) {
    adminOf(context);
    const id = idOf(args.id);
    const { limit, offset } = pageSlice(args);
    const [counted] = await context.database.query(COUNT_ATTEMPTS, [id]);
    const { total } = requireRow(counted, 'WEBHOOK_NOT_FOUND');
    return toPage(args, { contents: await context.database.query(ATTEMPTS_OF_WEBHOOK, [id, limit, offset]), total });
  }

  @IdempotencyKey('ignored: secret')
  @AuthorizedMutation(() => CreatedWebhook, {
    description: `Creates a webhook, which receives what changes from now on. ${ADMINS_ONLY}`,
  })
  async createWebhook(
    @Arg('input', () => CreateWebhookInput, { description: 'The new webhook, and re-authentication.' })
    { url, events, password }: CreateWebhookInput,
    @Ctx() context: Context,
  ): Promise<WebhookRow & { secret: string }> {
    const viewer = adminOf(context);
    requireWebhookUrl(context.config, url);
    const webhook = { url, events: parseEvents(events) };
    const passwordHash = await requireProof(context, viewer, password);
    const event = { kind: 'WEBHOOK_CREATED', passwordHash } as const;
    return changeAsAdmin(context, viewer, event, (db) => addWebhook(db, context.jwtSecret, webhook));
  }

  @AuthorizedMutation(() => WebhookType, { description: `Changes a webhook. ${ADMINS_ONLY}` })
  async updateWebhook(
    @Args(() => UpdateWebhookArgs) { id, input }: UpdateWebhookArgs,
    @Ctx() context: Context,
  ): Promise<WebhookRow> {
    const viewer = adminOf(context);
    const { url = null, events, enabled = null, password } = input;
    const change = { url, enabled, events: events == null ? null : parseEvents(events) };
    if (url !== null) requireWebhookUrl(context.config, url);
    const passwordHash = url === null ? undefined : await requireProof(context, viewer, password);
    const event = { kind: 'WEBHOOK_CHANGED', passwordHash } as const;
    return changeAsAdmin(context, viewer, event, (db) => changeWebhook(db, idOf(id), change));
  }

  @AuthorizedMutation(() => WebhookType, { description: `Deletes a webhook, and what waits for it. ${ADMINS_ONLY}` })
  async deleteWebhook(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<WebhookRow> {
    return changeAsAdmin(context, adminOf(context), { kind: 'WEBHOOK_DELETED' }, (db) => deleteWebhook(db, idOf(id)));
  }

  @IdempotencyKey('ignored: secret')
  @AuthorizedMutation(() => WebhookSecret, {
    description: `Replaces the secret of a webhook. For 24 hours messages are signed with both. ${ADMINS_ONLY}`,
  })
  async rotateWebhookSecret(
    @Args(() => RotateWebhookSecretArgs) { id, password }: RotateWebhookSecretArgs,
    @Ctx() context: Context,
  ): Promise<WebhookSecret> {
    const viewer = adminOf(context);
    const passwordHash = await requireProof(context, viewer, password);
    const event = { kind: 'WEBHOOK_SECRET_ROTATED', passwordHash } as const;
    return changeAsAdmin(context, viewer, event, async (db) => ({
      secret: await rotateSecret(db, idOf(id), context.jwtSecret),
    }));
  }

  @IdempotencyKey('ignored: no transaction')
  @AuthorizedMutation(() => WebhookAttempt, {
    description: `Sends a message \`webhook.test\` at once, also to a disabled webhook. ${ADMINS_ONLY}`,
  })
  testWebhook(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<WebhookAttempt> {
    return testWebhook(context, adminOf(context), idOf(id));
  }

  @AuthorizedMutation(() => WebhookType, {
    description: `Enables a webhook again: where it stopped, or at another position. ${ADMINS_ONLY}`,
  })
  async resumeWebhook(
    @Args(() => ResumeWebhookArgs) { id, since = null }: ResumeWebhookArgs,
    @Ctx() context: Context,
  ): Promise<WebhookRow> {
    const viewer = adminOf(context);
    return changeAsAdmin(context, viewer, { kind: 'WEBHOOK_CHANGED' }, (db) => resumeWebhook(db, idOf(id), since));
  }
}

/** @throws AppError UNAUTHENTICATED, ROLE_MISSING, MEMBER_SUSPENDED */
function adminOf(context: Context): Viewer {
  const viewer = viewerOf(context);
  requireAdmin(viewer.role);
  requireNotSuspended(viewer);
  return viewer;
}

function idOf(id: string): number {
  return parseId(id, 'WEBHOOK_NOT_FOUND');
}
