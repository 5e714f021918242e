/** Statements of the deliveries of webhooks. A process claims the row of a webhook, so that at most one delivers its messages. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import type { ChangeType } from '../change.js';
import { IS_PENDING } from '../member/member.js';
import type { DisabledReason } from './webhook.js';

/** A process that was killed holds its claims for this time after its last statement. */
const CLAIM_MS = fixedLimit({
  area: 'Webhooks',
  about: 'Time after which another process delivers the messages of one that was killed.',
  value: 60_000,
  unit: 'ms',
  error: null,
});

/** More than the clocks of two processes differ, which they read from the database. */
const MAX_SKEW = "interval '1 minute'";
/** The longest delay of an attempt, and its jitter. */
const MAX_DELAY = "interval '27 hours'";

const CLAIMED_UNTIL = (now: string) => `${now}::timestamptz + interval '${CLAIM_MS} milliseconds'`;

/** A message until it is delivered: each attempt sends the same. */
export interface StoredMessage {
  id: string;
  event: string;
  body: string;
  /** The feed after the message. */
  cursor: string;
  position: number;
  /** The object that it is about; null for a removal and for many changes. */
  subject: { type: ChangeType; id: number } | null;
}

const SUBJECT = `w.message->'subject'`;
const SUBJECT_ID = `(${SUBJECT}->>'id')::bigint`;

/** Whether an anonymous reader sees the object of the message. */
const IS_PUBLIC = `case ${SUBJECT}->>'type'
    when 'article' then exists (select from articles a where a.id = ${SUBJECT_ID})
    when 'comment' then exists (select from comments c join articles a on a.id = c.article_id where c.id = ${SUBJECT_ID})
    when 'member' then exists (select from members m where m.id = ${SUBJECT_ID} and not (${IS_PENDING}))
    when 'category' then exists (
      select from categories k join members m on m.id = k.member_id where k.id = ${SUBJECT_ID} and not (${IS_PENDING}))
    when 'series' then exists (select from series s where s.id = ${SUBJECT_ID})
    else true end`;

const SECRETS = {
  secret: column<Buffer>('w.secret'),
  formerSecret: column<Buffer | null>('w.former_secret'),
  formerUntil: column<Date | null>('w.former_until'),
};

const DELIVERY = new ColumnList({
  id: column<number>('w.id'),
  url: column<string>('w.url'),
  events: column<string[]>('w.events'),
  ...SECRETS,
  cursor: column<string>('w.cursor'),
  message: column<StoredMessage | null>('w.message'),
  isPublic: column<boolean>(IS_PUBLIC),
  pendingSince: column<Date | null>('w.pending_since'),
  failures: column<number>('w.failures'),
});

export type Delivery = Row<typeof DELIVERY>;

/** What a process holds while it delivers. */
type Claim = [id: number, claim: string, now: Date];

/**
 * Claims the webhooks for which something may be due: a message, or news in the feed. A claim or a delay that ends later than one that begins now was
 * stored while a clock was wrong.
 */
export const CLAIM_DUE = statement<[claim: string, now: Date], Delivery>(
  'claim_due_webhooks',
  `update webhooks w set claim = $1, claimed_until = ${CLAIMED_UNTIL('$2')}
   where w.is_enabled and coalesce(w.claimed_until not between $2 and ${CLAIMED_UNTIL('$2')} + ${MAX_SKEW}, true)
     and coalesce(w.next_attempt_at not between $2 and $2 + ${MAX_DELAY}, true)
     and (w.message is not null or w.position <> coalesce((select highest from change_feed), 0))
   returning ${DELIVERY.select}`,
);

/** No row if the webhook was disabled or resumed elsewhere, or is claimed by another process. */
export const STORE_MESSAGE = statement<
  [...Claim, cursor: string, message: string, pendingSince: Date | string],
  Delivery
>(
  'store_webhook_message',
  `update webhooks w set message = $5::jsonb, pending_since = $6, claimed_until = ${CLAIMED_UNTIL('$3')}
   where w.id = $1 and w.claim = $2 and w.is_enabled and w.cursor = $4 and w.message is null
   returning ${DELIVERY.select}`,
);

/** Moves the cursor over what is not sent, or waits. */
export const MOVE_CURSOR = statement<
  [
    ...Claim,
    from: string,
    cursor: string,
    position: number,
    pendingSince: Date | string | null,
    nextAttemptAt: Date | null,
  ],
  Delivery
>(
  'move_cursor_of_webhook',
  `update webhooks w set cursor = $5, position = $6, message = null, pending_since = $7, next_attempt_at = $8,
     claimed_until = ${CLAIMED_UNTIL('$3')}
   where w.id = $1 and w.claim = $2 and w.cursor = $4
   returning ${DELIVERY.select}`,
);

/** The cursor moves over the message. */
export const MESSAGE_DELIVERED = statement<[...Claim, messageId: string, attemptedAt: Date], Delivery>(
  'webhook_message_delivered',
  `update webhooks w set cursor = message->>'cursor', position = (message->>'position')::bigint, message = null,
     pending_since = null, next_attempt_at = null, last_success_at = $5, failures = 0, claimed_until = ${CLAIMED_UNTIL('$3')}
   where w.id = $1 and w.claim = $2 and w.message->>'id' = $4
   returning ${DELIVERY.select}`,
);

/** A message is tried again, or the webhook is disabled. `messageId`: null before a message is made. */
export const DELIVERY_FAILED = statement<
  [
    id: number,
    claim: string,
    messageId: string | null,
    failures: number,
    nextAttemptAt: Date | null,
    reason: DisabledReason | null,
  ],
  { id: number }
>(
  'webhook_delivery_failed',
  `update webhooks w set failures = $4, next_attempt_at = $5, disabled_reason = $6, is_enabled = $6::text is null
   where w.id = $1 and w.claim = $2 and w.is_enabled and w.message->>'id' is not distinct from $3
   returning w.id`,
);

export const RELEASE_CLAIM = statement<[id: number, claim: string]>(
  'release_webhook',
  'update webhooks set claim = null, claimed_until = null where id = $1 and claim = $2',
);

/** With the current key, after a rotation of it. */
export const REPLACE_SEALED = statement<[id: number, former: Buffer, secret: Buffer]>(
  'replace_sealed_secret',
  'update webhooks set secret = $3 where id = $1 and secret = $2',
);

/** What a test needs. */
export const TARGET_OF_WEBHOOK = statement<
  [id: number],
  Pick<Delivery, 'url' | 'secret' | 'formerSecret' | 'formerUntil' | 'cursor'>
>('target_of_webhook', `select url, cursor, ${new ColumnList(SECRETS).select} from webhooks w where id = $1`);
