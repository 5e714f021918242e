/** Writes the audit log (ASVS 5.0 §16.3): member, event, time, address and device, but no secrets. */
import { Counter } from 'prom-client';
import { type EventKind, RECORD_EVENT } from '../../models/session/security-event.js';
import type { Database, Transaction } from '../../platform/database/pool.js';
import { enqueueMail, type MailSource, securityNotice } from '../mail/enqueue.js';
import type { EventNotice } from '../mail/templates.js';
import type { Caller } from './policy.js';

/** `kind`: event kinds of the audit trail. */
export const securityEvents = new Counter({
  name: 'daybook_security_events_total',
  help: 'Security events of accounts, such as failed logins, by kind.',
  labelNames: ['kind'] as const,
});

export interface SecurityEvent {
  kind: EventKind;
  /** Null for a login to an unknown account, which is recorded too so that the response takes as long as for a known one. */
  memberId: number | null;
  provider?: string;
  /** Of the passkey or API token, for the email. It is not recorded. */
  name?: string;
}

/** Emails to the member about events. They are recorded in the transaction of the change. */
const NOTICES: { readonly [Kind in EventKind]?: EventNotice } = {
  PASSWORD_CHANGED: 'passwordChanged',
  PASSWORD_RESET: 'passwordChanged',
  PASSKEY_ADDED: 'passkeyAdded',
  PASSKEY_REMOVED: 'passkeyRemoved',
  API_TOKEN_CREATED: 'apiTokenCreated',
  SOCIAL_LINKED: 'socialConnected',
  SOCIAL_UNLINKED: 'socialDisconnected',
};

/** The part of a caller that an event needs; an operator on the command line has no address and no session. */
export type EventSource = Pick<Caller, 'database' | 'client' | 'viewer'> & MailSource;

export async function recordEvent(db: Database, caller: EventSource, event: SecurityEvent): Promise<void> {
  const { address, device } = caller.client;
  const sessionId = caller.viewer?.credentialId ?? null;
  const { memberId, kind, provider = null } = event;
  await db.query(RECORD_EVENT, [memberId, kind, provider, sessionId, address, device]);
  securityEvents.inc({ kind });
  const template = NOTICES[kind];
  if (template === undefined || memberId === null) return;
  if (!db.isTransaction) throw new Error(`the email about ${kind} needs the transaction of the change`);
  const values = { ...securityNotice(db, caller.client), provider: provider ?? '', name: event.name ?? '' };
  await enqueueMail(db as Transaction, caller, { template, memberId, values });
}

/** For the event of a member that another member has caused, whose address and device the member must not see. */
export function withoutActor(source: EventSource): EventSource {
  return { ...source, client: { ...source.client, address: '', device: '' }, viewer: null };
}
