/** Decisions of moderators. No API token may make them. */
import { Args, Ctx, Resolver } from 'type-graphql';
import { decideAppeal } from '../commands/appeal.js';
import { decide, possibleFor } from '../commands/decide.js';
import type { Context } from '../context.js';
import { BYTES_OF_TARGET } from '../models/decision/case.js';
import { type DecisionRow, EXPLAINED } from '../models/decision/decision.js';
import type { Target } from '../models/decision/report.js';
import { AppError, type FieldError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { AuthorizedMutation } from '../schema/auth.js';
import { DecideArgs, type DecideInput, DecisionType } from '../schema/decision.js';
import { requireRole } from '../services/auth/permission.js';
import { viewerOf } from '../services/auth/policy.js';
import { countBytes } from '../services/limits/writes.js';
import { requireOneOf, targetOf } from './report.js';
import { parseId } from './row.js';

@Resolver()
export class DecisionResolver {
  @AuthorizedMutation(() => DecisionType, {
    description:
      'Decides on what was reported, on a comment that waits for approval, on a member, or on an appeal. Moderators only. Authentication required, and ' +
      'no API token has a scope for it.',
  })
  async decide(@Args(() => DecideArgs) { input }: DecideArgs, @Ctx() context: Context): Promise<DecisionRow> {
    const { action, until = null, rule, statement, note } = input;
    const { appealId } = input;
    requireOneOf(input, IDS);
    const target = appealId == null ? targetOf(input) : null;
    const errors = explain(input, target, context.database.now());
    if (errors.length > 0) throw new AppError('VALIDATION_FAILED', { errors });
    const viewer = viewerOf(context);
    requireRole(action, viewer.role);
    const reasons = { until, rule: rule ?? '', statement: statement ?? '', note: note ?? '' };
    const { database, ifMatch } = context;
    const decisionId = target ? null : parseId(String(appealId), 'DECISION_NOT_FOUND');
    if (action === 'REMOVE' || action === 'RESTORE') {
      // All of the text moves in the search index.
      const [found] = await database.query(BYTES_OF_TARGET, [target?.articleId ?? null, decisionId]);
      if (found) await countBytes(context, viewer.memberId, found.bytes);
    }
    const verdict = { action, reasons, ifMatch };
    if (decisionId !== null) return decideAppeal(context, viewer, { appealId: decisionId, ...verdict });
    return decide(context, viewer, { target: target as Target, ...verdict });
  }
}

const IDS = ['articleId', 'commentId', 'memberId', 'appealId'] as const;

/** @param target null for an appeal, which is read in the transaction */
function explain({ action, until, rule, statement }: DecideInput, target: Target | null, now: number): FieldError[] {
  const possible = target && possibleFor(target);
  const errors: FieldError[] = [];
  if (possible && !possible.includes(action))
    errors.push({ field: 'action', message: createMessage('actionNotForTarget', possible, action) });
  if (until != null && action !== 'SUSPEND')
    errors.push({ field: 'until', message: createMessage('onlyFor', 'SUSPEND') });
  else if (until != null && Date.parse(until) <= now)
    errors.push({ field: 'until', message: createMessage('mustBeLater', until) });
  if (EXPLAINED.includes(action)) {
    const message = createMessage('requiredFor', EXPLAINED);
    for (const [field, text] of Object.entries({ rule, statement })) if (!text) errors.push({ field, message });
  }
  return errors;
}
