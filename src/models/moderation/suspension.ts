/** Suspensions: a suspended member reads, and changes almost nothing (docs/moderation.md). They end by themselves. */
import { statement } from '../../platform/database/statement.js';
import type { SuspensionDetails } from '../../platform/errors.js';

/** Times are those of PostgreSQL's JSON. */
export interface Suspension extends SuspensionDetails {
  since: string;
}

/** An SQL expression: the suspension of a row of `members` as JSON; null without one, or after its end. */
export function suspensionOf(member: string): string {
  const columns = ['suspended_since', 'suspended_until', 'suspension_rule', 'suspension_statement'];
  return `suspension_of(${columns.map((name) => `${member}.${name}`).join(', ')})`;
}

/** `until`: null for a suspension without end. Replaces an earlier one. */
export const SUSPEND = statement<[memberId: number, until: string | null, rule: string, statement: string]>(
  'suspend_member',
  `update members set suspended_since = now(), suspended_until = coalesce($2::timestamptz, 'infinity'),
     suspension_rule = $3, suspension_statement = $4
   where id = $1`,
);

/** One row if the member was suspended. */
export const UNSUSPEND = statement<[memberId: number], { id: number }>(
  'unsuspend_member',
  `update members m set suspended_since = null, suspended_until = null, suspension_rule = null, suspension_statement = null
   where id = $1 and suspended_until > now() returning id`,
);
