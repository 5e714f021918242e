/** Writes the audit log (ASVS 5.0 §16.3): member, event, time, address and device, but no secrets. */
import type { Transaction } from 'sequelize';
import { type EventKind, RECORD_EVENT } from '../models/session/security-event.js';
import { securityEvents } from '../observability/metrics/error.js';
import type { Caller } from './policy.js';

export interface SecurityEvent {
  kind: EventKind;
  /** Null for a login to an unknown account, which is recorded too so that the response takes as long as for a known one. */
  memberId: number | null;
  provider?: string;
}

export async function recordEvent(caller: Caller, event: SecurityEvent, transaction?: Transaction): Promise<void> {
  const { address, device } = caller.client;
  const sessionId = caller.viewer?.sessionId ?? null;
  const { memberId, kind, provider = null } = event;
  await caller.database.query(RECORD_EVENT, [memberId, kind, provider, sessionId, address, device], transaction);
  securityEvents.inc({ kind });
}
