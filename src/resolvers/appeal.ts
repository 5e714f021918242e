/** Decisions of moderators for the members concerned and for moderators, and appeals. No API token may use them. */
import { Args, Ctx, Resolver } from 'type-graphql';
import { appealDecision } from '../commands/appeal.js';
import type { Context } from '../context.js';
import { findDecisions, findOwnDecisions, OWN_DECISION_BY_ID, type OwnDecisionRow } from '../models/decision/appeal.js';
import { AppealArgs, DecisionArgs, ModeratorDecisionPage, OwnDecisionPage, OwnDecisionType } from '../schema/appeal.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { requireRole } from '../services/auth/permission.js';
import { requireNotSuspended, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class AppealResolver {
  @AuthorizedQuery(() => OwnDecisionPage, {
    description: 'The decisions of moderators that concern you, newest first.',
  })
  async myDecisions(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return toPage(args, await findOwnDecisions(context.database, viewerOf(context).memberId, pageSlice(args)));
  }

  @AuthorizedQuery(() => OwnDecisionType, { description: 'A decision of a moderator that concerns you.' })
  async decision(@Args(() => DecisionArgs) { id }: DecisionArgs, @Ctx() context: Context): Promise<OwnDecisionRow> {
    const key = [parseId(id, 'DECISION_NOT_FOUND'), viewerOf(context).memberId] as const;
    const [found] = await context.database.query(OWN_DECISION_BY_ID, [...key]);
    return requireRow(found, 'DECISION_NOT_FOUND');
  }

  @AuthorizedQuery(() => ModeratorDecisionPage, {
    description: 'The newest decisions, except those that concern yourself. Moderators only.',
  })
  async moderationDecisions(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    const viewer = viewerOf(context);
    requireRole('UPHOLD', viewer.role);
    requireNotSuspended(viewer);
    return toPage(args, await findDecisions(context.database, viewer.memberId, pageSlice(args)));
  }

  @WhileSuspended()
  @AuthorizedMutation(() => OwnDecisionType, {
    description:
      'Appeals a decision that concerns you, once and within six months. Another moderator decides on it, where there is one.',
  })
  appeal(@Args(() => AppealArgs) { decisionId, text }: AppealArgs, @Ctx() context: Context): Promise<OwnDecisionRow> {
    const id = parseId(decisionId, 'DECISION_NOT_FOUND');
    return appealDecision(context, viewerOf(context), { decisionId: id, text });
  }
}
