/** Decisions of moderators for the members concerned and for moderators, and appeals. No API token may use them. */
import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { appealDecision } from '../commands/appeal-decision.js';
import type { Context } from '../context.js';
import { findDecisions, findOwnDecisions, OWN_DECISION_BY_ID, type OwnDecisionRow } from '../models/decision/appeal.js';
import { AppealArgs, DecisionArgs, ModeratorDecisionPage, OwnDecisionPage, OwnDecisionType } from '../schema/appeal.js';
import { WhileSuspended } from '../schema/auth.js';
import { listCost } from '../schema/cost.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { PageArgs, paginate } from '../schema/page.js';
import { requireRole } from '../services/auth/permission.js';
import { requireNotSuspended, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class AppealResolver {
  @Authorized()
  @Query(() => OwnDecisionPage, {
    nullable: true,
    description: 'The decisions of moderators that concern you, newest first. Authentication required.',
    complexity: listCost,
  })
  async myDecisions(@Args(() => PageArgs) { page, size }: PageArgs, @Ctx() context: Context) {
    const slice = { limit: size, offset: (page - 1) * size };
    const { contents, total } = await findOwnDecisions(context.database, viewerOf(context).memberId, slice);
    return { contents, pagination: paginate({ page, size }, total) };
  }

  @Authorized()
  @Query(() => OwnDecisionType, {
    nullable: true,
    description: 'A decision of a moderator that concerns you. Authentication required.',
  })
  async decision(@Args(() => DecisionArgs) { id }: DecisionArgs, @Ctx() context: Context): Promise<OwnDecisionRow> {
    const key = [parseId(id, 'DECISION_NOT_FOUND'), viewerOf(context).memberId] as const;
    const [found] = await context.database.query(OWN_DECISION_BY_ID, [...key]);
    return requireRow(found, 'DECISION_NOT_FOUND');
  }

  @Authorized()
  @Query(() => ModeratorDecisionPage, {
    nullable: true,
    description: 'The newest decisions, except those that concern yourself. Moderators only. Authentication required.',
    complexity: listCost,
  })
  async moderationDecisions(@Args(() => PageArgs) { page, size }: PageArgs, @Ctx() context: Context) {
    const viewer = viewerOf(context);
    requireRole('UPHOLD', viewer.role);
    requireNotSuspended(viewer);
    const slice = { limit: size, offset: (page - 1) * size };
    const { contents, total } = await findDecisions(context.database, viewer.memberId, slice);
    return { contents, pagination: paginate({ page, size }, total) };
  }

  @Authorized()
  @WhileSuspended()
  @IdempotencyKey('applies')
  @Mutation(() => OwnDecisionType, {
    description:
      'Appeals a decision that concerns you, once and within six months. Another moderator decides on it, where there is one. Authentication required.',
  })
  appeal(@Args(() => AppealArgs) { decisionId, text }: AppealArgs, @Ctx() context: Context): Promise<OwnDecisionRow> {
    const id = parseId(decisionId, 'DECISION_NOT_FOUND');
    return appealDecision(context, viewerOf(context), { decisionId: id, text });
  }
}
