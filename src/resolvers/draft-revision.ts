/** The earlier states of drafts, for their authors. */
import { Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import type { RevisionDetailRow } from '../models/article/revision.js';
import { DRAFT_REVISION_PAGE, FIND_DRAFT_REVISION } from '../models/draft/revision.js';
import { AppError } from '../platform/errors.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedQuery } from '../schema/auth.js';
import { pageSlice, toPage } from '../schema/page.js';
import { DraftRevisionArgs, DraftRevisionsArgs, RevisionDetailType, RevisionPage } from '../schema/revision.js';
import { viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class DraftRevisionResolver {
  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => RevisionPage, { description: 'The earlier states of one of your drafts, newest first.' })
  async draftRevisions(@Args(() => DraftRevisionsArgs) args: DraftRevisionsArgs, @Ctx() context: Context) {
    const values = [parseId(args.draftId, 'DRAFT_NOT_FOUND'), viewerOf(context).memberId] as const;
    const { limit, offset } = pageSlice(args);
    const rows = await context.database.query(DRAFT_REVISION_PAGE, [...values, limit, offset]);
    const { total } = requireRow(rows[0], 'DRAFT_NOT_FOUND');
    return toPage(args, { contents: rows.filter(({ number }) => number !== null), total });
  }

  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => RevisionDetailType, {
    description: 'An earlier state of one of your drafts, with its content.',
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
