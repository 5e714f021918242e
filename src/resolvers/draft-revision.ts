/** The earlier states of drafts, for their authors. */
import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import type { RevisionDetailRow } from '../models/article/revision.js';
import { DRAFT_REVISION_PAGE, FIND_DRAFT_REVISION } from '../models/draft/revision.js';
import { AppError } from '../platform/errors.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { listCost } from '../schema/cost.js';
import { paginate } from '../schema/page.js';
import { DraftRevisionArgs, DraftRevisionsArgs, RevisionDetailType, RevisionPage } from '../schema/revision.js';
import { viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class DraftRevisionResolver {
  @Authorized()
  @ApiTokenScopes('articles')
  @Query(() => RevisionPage, {
    nullable: true,
    description: 'The earlier states of one of your drafts, newest first. Authentication required.',
    complexity: listCost,
  })
  async draftRevisions(
    @Args(() => DraftRevisionsArgs) { draftId, page, size }: DraftRevisionsArgs,
    @Ctx() context: Context,
  ) {
    const values = [parseId(draftId, 'DRAFT_NOT_FOUND'), viewerOf(context).memberId] as const;
    const rows = await context.database.query(DRAFT_REVISION_PAGE, [...values, size, (page - 1) * size]);
    const { total } = requireRow(rows[0], 'DRAFT_NOT_FOUND');
    return { contents: rows.filter(({ number }) => number !== null), pagination: paginate({ page, size }, total) };
  }

  @Authorized()
  @ApiTokenScopes('articles')
  @Query(() => RevisionDetailType, {
    nullable: true,
    description: 'An earlier state of one of your drafts, with its content. Authentication required.',
  })
  async draftRevision(
    @Args(() => DraftRevisionArgs) { draftId, number }: DraftRevisionArgs,
    @Ctx() context: Context,
  ): Promise<RevisionDetailRow> {
    const values = [parseId(draftId, 'DRAFT_NOT_FOUND'), viewerOf(context).memberId, number] as const;
    const [found] = await context.database.query(FIND_DRAFT_REVISION, [...values]);
    const revision = requireRow(found, 'DRAFT_NOT_FOUND');
    if (revision.number === null) throw new AppError('REVISION_NOT_FOUND');
    return revision;
  }
}
