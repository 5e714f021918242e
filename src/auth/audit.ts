/** Writes the audit trail (ASVS 5.0 §16.3): who, what, when and from where, never a secret. */
import type { Transaction } from 'sequelize';
import { type EventKind, RECORD_EVENT } from '../models/security-event.js';
import { securityEvents } from '../observability/metrics/refusal.js';
import type { Caller } from './caller.js';

export interface SecurityEvent {
  kind: EventKind;
  /** Null: a login to an account that there is not, which is written down like any other so that it takes as long. */
  memberId: number | null;
  provider?: string;
}

export async function recordEvent(caller: Caller, event: SecurityEvent, transaction?: Transaction): Promise<void> {
  const { address, device } = caller.client;
  const sessionId = caller.viewer?.sessionId ?? null;
  const values = [event.memberId, event.kind, event.provider ?? null, sessionId, address, device];
  await caller.database.query(RECORD_EVENT, values, transaction);
  securityEvents.inc({ kind: event.kind });
}
