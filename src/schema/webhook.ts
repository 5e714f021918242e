/** GraphQL types, inputs and arguments of webhooks, for admins only. */
import { ArgsType, Extensions, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MAX_CURSOR_LENGTH } from '../models/change-cursor.js';
import { BATCH, DISABLED_REASONS, MAX_URL_LENGTH, MAX_WEBHOOKS, WEBHOOK_EVENTS } from '../models/webhook/webhook.js';
import { WEBHOOK_SECRET_LENGTH } from '../services/webhooks/secret.js';
import { MAX_RESPONSE_LENGTH } from '../services/webhooks/send.js';
import { PROOF, Secret } from './auth.js';
import { pageOf, withPage } from './page.js';
import { LimitedAs, MaxLength } from './response-limits.js';
import { DateTime, enumOf, IdArgs, type Moment } from './scalars.js';
import { CurrentPassword, IdField, Line, Lines } from './validators.js';

const WebhookDisabledReason = enumOf('WebhookDisabledReason', 'Why a webhook was disabled.', DISABLED_REASONS);

/** Longer than any event. */
const MAX_EVENT_LENGTH = 30;

const EVENTS =
  '`article.created`, `.updated` and `.removed`; the same of `comment`, `member`, `category` and `series`; ' +
  `or \`${BATCH}\` alone: one message for all changes of some seconds.`;

@ObjectType('Webhook', { description: 'An address that receives messages about changes of the public journal.' })
export class WebhookType {
  @Field(() => ID, { description: 'ID of the webhook.' })
  id!: number;

  @LimitedAs(() => CreateWebhookInput, 'url')
  @Field({ description: 'Where messages are sent.' })
  url!: string;

  @LimitedAs(() => CreateWebhookInput, 'events')
  @Field(() => [String], { description: `The events that it receives: ${EVENTS}` })
  events!: string[];

  @Field({ description: 'Whether messages are sent.' })
  enabled!: boolean;

  @Field(() => WebhookDisabledReason, {
    nullable: true,
    description: 'Why the service disabled it; null if it is enabled, or an admin disabled it.',
  })
  disabledReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the oldest change that was not delivered, in UTC; null if nothing waits.',
  })
  pendingSince!: Moment | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the next attempt, in UTC; null if none is planned, or it is due at once.',
  })
  nextAttemptAt!: Moment | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last delivery, in UTC; null before the first.' })
  lastSuccessAt!: Moment | null;

  @Field(() => Int, { description: 'Attempts that have failed since the last delivery.' })
  failures!: number;

  @Field(() => DateTime, { description: 'Creation time, in UTC.' })
  createdAt!: Moment;
}

const SECRET = 'The secret of its signatures. Store it now: it is not shown again.';

@ObjectType('CreatedWebhook', { description: 'A new webhook.' })
export class CreatedWebhook extends WebhookType {
  @Secret()
  @MaxLength(WEBHOOK_SECRET_LENGTH)
  @Field({ description: SECRET })
  secret!: string;
}

@ObjectType('WebhookSecret', {
  description: 'A new secret. For 24 hours messages are signed with the former one, too.',
})
export class WebhookSecret {
  @Secret()
  @MaxLength(WEBHOOK_SECRET_LENGTH)
  @Field({ description: SECRET })
  secret!: string;
}

@ObjectType('WebhookAttempt', { description: 'An attempt to deliver a message.' })
export class WebhookAttempt {
  @MaxLength(40)
  @Field({ description: 'ID of the message, which all of its attempts have (`webhook-id`).' })
  messageId!: string;

  @MaxLength(MAX_EVENT_LENGTH)
  @Field({ description: 'The event of the message.' })
  event!: string;

  @Extensions({ example: '00000000000000000001.2s.2s' })
  @MaxLength(MAX_CURSOR_LENGTH)
  @Field({ description: 'The feed of changes after the message: resume the webhook with it to skip the message.' })
  cursor!: string;

  @Field(() => DateTime, { description: 'Time of the attempt, in UTC.' })
  attemptedAt!: Moment;

  @Field(() => Int, { nullable: true, description: 'Status of the response; null without a response.' })
  status!: number | null;

  @MaxLength(100)
  @Field(() => String, {
    nullable: true,
    description:
      'Why there was no response: `TIMEOUT`, `ADDRESS_NOT_PERMITTED`, `SECRET_NOT_DECRYPTED`, or a code such as `ECONNREFUSED`; otherwise null.',
  })
  error!: string | null;

  @Field(() => Int, { description: 'Duration in milliseconds.' })
  durationMs!: number;

  @MaxLength(MAX_RESPONSE_LENGTH)
  @Field({ description: `The first ${MAX_RESPONSE_LENGTH} characters of the response.` })
  response!: string;
}

export const WebhookPage = pageOf('Webhook', () => WebhookType, 'webhooks');

export const WebhookAttemptPage = pageOf(
  'WebhookAttempt',
  () => WebhookAttempt,
  'attempts of a webhook, newest first',
  'attempts',
);

@InputType({ description: `A new webhook: at most ${MAX_WEBHOOKS}.` })
export class CreateWebhookInput {
  @Field({ description: 'An https URL of a public address, without a user name and a password: {range} characters.' })
  @Line(1, MAX_URL_LENGTH)
  url!: string;

  @Field(() => [String], { description: EVENTS })
  @Lines(WEBHOOK_EVENTS.length, 1, MAX_EVENT_LENGTH)
  events!: string[];

  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

@InputType({ description: 'What changes; absent: unchanged.' })
export class UpdateWebhookInput {
  @Field(() => String, { nullable: true, description: 'As of a new webhook. Requires re-authentication.' })
  @Line(1, MAX_URL_LENGTH)
  url?: string | null;

  @Field(() => [String], { nullable: true, description: EVENTS })
  @Lines(WEBHOOK_EVENTS.length, 1, MAX_EVENT_LENGTH)
  events?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether messages are sent. Enabled, it continues where it stopped.',
  })
  enabled?: boolean | null;

  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

@ArgsType()
export class UpdateWebhookArgs {
  @IdField('ID of a webhook.')
  id!: string;

  @Field(() => UpdateWebhookInput, { description: 'What changes.' })
  input!: UpdateWebhookInput;
}

@ArgsType()
export class RotateWebhookSecretArgs extends IdArgs {
  @Field(() => String, { nullable: true, description: PROOF })
  @CurrentPassword()
  password?: string | null;
}

@ArgsType()
export class ResumeWebhookArgs extends IdArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'A cursor of the feed of changes, `latest` for what changes from now on, or absent: where it stopped. The cursor of an attempt skips its message.',
  })
  @Line(1, MAX_CURSOR_LENGTH)
  since?: string | null;
}

@ArgsType()
export class WebhookAttemptsArgs extends withPage(IdArgs) {}
