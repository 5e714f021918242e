/** The mails table: emails that wait to be sent. */
import { statement } from '../platform/database/statement.js';
import type { Language } from '../platform/messages/message.js';

export interface MailRow {
  memberId: number;
  address: string;
  language: Language;
  template: string;
  parameters: object;
  isExpired: boolean;
}

/** To `address`, or to the current address of the member. No row for a member without an address, or who no longer exists. */
export const ADD_MAIL = statement<
  [
    messageId: string,
    memberId: number,
    address: string | null,
    template: string,
    parameters: string,
    lifetimeMs: number,
  ],
  { messageId: string }
>(
  'add_mail',
  `insert into mails (message_id, member_id, address, language, template, parameters, expires_at)
   select $1, id, coalesce($3, email), language, $4, $5::jsonb, now() + $6::bigint * interval '1 ms'
   from members where id = $2 and coalesce($3, email) is not null
   returning message_id as "messageId"`,
);

export const WAITING_MAIL = statement<[messageId: string], MailRow>(
  'waiting_mail',
  `select member_id as "memberId", address, language, template, parameters, expires_at < now() as "isExpired"
   from mails where message_id = $1`,
);

export const DELETE_MAIL = statement<[messageId: string]>('delete_mail', 'delete from mails where message_id = $1');
