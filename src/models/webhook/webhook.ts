/** The webhooks table, as admins and operators see it: what is delivered to which address, and how far. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { CHANGE_TYPES, type ChangeType } from '../change.js';

export const MAX_WEBHOOKS = fixedLimit({
  area: 'Webhooks',
  about: 'Webhooks of the service.',
  value: 20,
  error: 'WEBHOOK_LIMIT_REACHED',
});

export const MAX_URL_LENGTH = 2_000;

/** One message for all changes of some time, such as those that one build contains. */
export const BATCH = 'changes';

const ACTIONS = ['created', 'updated', 'removed'] as const;

export const WEBHOOK_EVENTS: readonly string[] = [
  ...CHANGE_TYPES.flatMap((type) => ACTIONS.map((action) => `${type}.${action}`)),
  BATCH,
];

/** The types of changes that a webhook with these events reads. */
export function typesOf(events: readonly string[]): readonly ChangeType[] {
  if (events.includes(BATCH)) return CHANGE_TYPES;
  return CHANGE_TYPES.filter((type) => events.some((event) => event.startsWith(`${type}.`)));
}

export const DISABLED_REASONS = {
  failed: 'Ten attempts in a row failed.',
  gone: 'The receiver responded with 410.',
  secret: 'The secret cannot be decrypted: JWT_SECRET was changed without JWT_SECRET_PREVIOUS.',
  expired: 'The feed of changes does not continue at the cursor: it was reset, or its removals were deleted.',
  restored: 'The journal was restored from a backup.',
} as const;

/** Those of deliveries, about which the admins receive an email. */
export type DisabledReason = Exclude<keyof typeof DISABLED_REASONS, 'restored'>;

/** Time of the first change that a webhook `w` has not delivered. */
const PENDING_SINCE = 'coalesce(w.pending_since, pending_change_since(w.events, w.position))';

/** The readable columns. */
const WEBHOOK = new ColumnList({
  id: column<number>('w.id'),
  url: column<string>('w.url'),
  events: column<string[]>('w.events'),
  enabled: column<boolean>('w.is_enabled'),
  disabledReason: column<keyof typeof DISABLED_REASONS | null>('w.disabled_reason'),
  pendingSince: column<Date | null>(PENDING_SINCE),
  nextAttemptAt: column<Date | null>('case when w.is_enabled then w.next_attempt_at end'),
  lastSuccessAt: column<Date | null>('w.last_success_at'),
  failures: column<number>('w.failures'),
  createdAt: column<Date>('w.created_at'),
});

export type WebhookRow = Row<typeof WEBHOOK>;

export const WEBHOOKS = statement<[size: number, offset: number], WebhookRow>(
  'webhooks',
  `select ${WEBHOOK.select} from webhooks w order by w.id limit $1 offset $2`,
);

export const COUNT_WEBHOOKS = statement<[], { total: number }>(
  'count_webhooks',
  'select count(*) as total from webhooks',
);

export const WEBHOOK_BY_ID = statement<[id: number], WebhookRow>(
  'webhook_by_id',
  `select ${WEBHOOK.select} from webhooks w where w.id = $1`,
);

/** No row if there are too many. The transaction must hold a lock that makes the count valid. */
export const ADD_WEBHOOK = statement<
  [url: string, events: readonly string[], secret: Buffer, cursor: string, position: number],
  WebhookRow
>(
  'add_webhook',
  `insert into webhooks as w (url, events, secret, cursor, position)
   select $1, $2::text[], $3, $4, $5 where (select count(*) from webhooks) < ${MAX_WEBHOOKS}
   returning ${WEBHOOK.select}`,
);

/** Null: unchanged. A message that waits stays, if its event is still wanted. */
export const CHANGE_WEBHOOK = statement<[id: number, url: string | null, events: readonly string[] | null], WebhookRow>(
  'change_webhook',
  `update webhooks w set url = coalesce($2, url), events = coalesce($3::text[], events),
     (message, pending_since, next_attempt_at) = (select w.message, w.pending_since, w.next_attempt_at
       where $3::text[] is null or w.message->>'event' = any($3))
   where id = $1 returning ${WEBHOOK.select}`,
);

export const DISABLE_WEBHOOK = statement<[id: number], WebhookRow>(
  'disable_webhook',
  `update webhooks w set is_enabled = false where id = $1 returning ${WEBHOOK.select}`,
);

/** At a cursor, or null: where it stopped, with the message that waits. */
export const ENABLE_WEBHOOK = statement<[id: number, cursor: string | null, position: number | null], WebhookRow>(
  'enable_webhook',
  `update webhooks w set is_enabled = true, disabled_reason = null, failures = 0, next_attempt_at = null,
     cursor = coalesce($2, cursor), position = coalesce($3, position),
     message = case when $2::text is null then message end,
     pending_since = case when $2::text is null then pending_since end
   where id = $1 returning ${WEBHOOK.select}`,
);

export const DELETE_WEBHOOK = statement<[id: number], WebhookRow>(
  'delete_webhook',
  `delete from webhooks w where id = $1 returning ${WEBHOOK.select}`,
);

/** The current secret signs until a time, too. */
export const ROTATE_SECRET = statement<[id: number, secret: Buffer, until: Date], { id: number }>(
  'rotate_webhook_secret',
  'update webhooks set secret = $2, former_secret = secret, former_until = $3 where id = $1 returning id',
);

/** After a restore, what was delivered is not known, and the cursors have expired. */
export const DISABLE_RESTORED = statement<[]>(
  'disable_restored_webhooks',
  `update webhooks set is_enabled = false, disabled_reason = 'restored', claim = null, claimed_until = null`,
);

export interface WebhookState {
  id: number;
  enabled: boolean;
  disabledReason: keyof typeof DISABLED_REASONS | null;
  /** Attempts since the last success. */
  failures: number;
  /** Of the latest attempt: its status, or the code of its error. */
  result: string | null;
  /** Age of the oldest change that waits; 0 if none does. */
  oldestSeconds: number;
}

export const STATES_OF_WEBHOOKS = statement<[], WebhookState>(
  'states_of_webhooks',
  `select w.id, w.is_enabled as enabled, w.disabled_reason as "disabledReason", w.failures,
     (select coalesce('status ' || a.status, a.error) from webhook_attempts a
      where a.webhook_id = any(array[w.id]) order by a.webhook_id desc, a.id desc limit 1) as result,
     coalesce(extract(epoch from clock_timestamp() - ${PENDING_SINCE})::float8, 0) as "oldestSeconds"
   from webhooks w order by w.id`,
);
