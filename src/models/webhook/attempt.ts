/** The attempts to deliver messages of webhooks. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';

export const MAX_ATTEMPTS_KEPT = fixedLimit({
  area: 'Webhooks',
  about: 'Stored attempts of a webhook. A new one replaces the oldest.',
  value: 200,
  error: null,
});

/** The readable columns. */
const ATTEMPT = new ColumnList({
  id: column<number>('id'),
  messageId: column<string>('message_id'),
  event: column<string>('event'),
  cursor: column<string>('cursor'),
  attemptedAt: column<Date>('attempted_at'),
  status: column<number | null>('status'),
  error: column<string | null>('error'),
  durationMs: column<number>('duration_ms'),
  response: column<string>('response'),
});

export type AttemptRow = Row<typeof ATTEMPT>;

/** No row if the webhook was deleted meanwhile. */
export const ADD_ATTEMPT = statement<
  [
    webhookId: number,
    messageId: string,
    event: string,
    cursor: string,
    attemptedAt: Date,
    status: number | null,
    error: string | null,
    durationMs: number,
    response: string,
  ],
  AttemptRow
>(
  'add_webhook_attempt',
  `with replaced as (
     delete from webhook_attempts where webhook_id = $1 and id <= (
       select id from webhook_attempts where webhook_id = $1 order by id desc limit 1 offset ${MAX_ATTEMPTS_KEPT - 1})
   )
   insert into webhook_attempts (webhook_id, message_id, event, cursor, attempted_at, status, error, duration_ms, response)
   select id, $2, $3, $4, $5, $6, $7, $8, $9 from webhooks where id = $1 for key share
   returning ${ATTEMPT.select}`,
);

/** Newest first. The condition and the order are those of a `Part` (platform/database/keyset.ts). */
export const ATTEMPTS_OF_WEBHOOK = statement<[webhookId: number, size: number, offset: number], AttemptRow>(
  'attempts_of_webhook',
  `select ${ATTEMPT.select} from webhook_attempts 
   where webhook_id = any(array[$1::bigint]) order by webhook_id desc, id desc limit $2 offset $3`,
);

/** No row if there is no such webhook. */
export const COUNT_ATTEMPTS = statement<[webhookId: number], { total: number }>(
  'count_webhook_attempts',
  'select (select count(*) from webhook_attempts where webhook_id = w.id) as total from webhooks w where w.id = $1',
);
