/** The publication of drafts, at once or at a scheduled time. */
import type { GraphQLResolveInfo } from 'graphql';
import type { InferAttributes } from 'sequelize';
import { Args, Ctx, Info, Resolver } from 'type-graphql';
import { publishDraft } from '../commands/publish-draft.js';
import { scheduleDraft, unscheduleDraft } from '../commands/schedule-draft.js';
import type { Context } from '../context.js';
import { type RootResult, withRevision } from '../execute.js';
import type { ArticleRow } from '../models/article/article.js';
import type { Draft, DraftRow } from '../models/draft/draft.js';
import { DRAFT_TO_PUBLISH } from '../models/draft/publication.js';
import type { Transaction } from '../platform/database/pool.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { AuthorizedMutation } from '../schema/auth.js';
import { ConditionalIdArgs } from '../schema/condition.js';
import { DraftType } from '../schema/draft.js';
import { findWrongTime, requireComplete, ScheduleDraftArgs } from '../schema/publication.js';
import { viewerOf } from '../services/auth/policy.js';
import { memberTask } from '../services/limits/client-task.js';
import { countText } from '../services/limits/writes.js';
import { renderForWrite } from '../services/rendering/article-html.js';
import { requireChangeableDraft } from './draft.js';
import { reloadArticle } from './reload-article.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class PublicationResolver {
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ArticleType, {
    description: 'Publishes one of your drafts: it becomes an article, or an edit of its article, and ends.',
  })
  async publishDraft(
    @Args(() => ConditionalIdArgs) { id }: ConditionalIdArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RootResult<ArticleRow>> {
    const { memberId, credentialId } = viewerOf(context);
    const [found] = await context.database.query(DRAFT_TO_PUBLISH, [parseId(id, 'DRAFT_NOT_FOUND'), memberId]);
    const draft = requireRow(found, 'DRAFT_NOT_FOUND');
    const check = requirePublishable(context);
    await check(draft, context.database);
    await countText(context, memberId, draft.content);
    const rendered = await renderForWrite(
      context.services.renderer,
      draft.content,
      memberTask(context, memberId),
      context.config.publicUrl,
    );
    const read = (db: Transaction, articleId: number) => reloadArticle(db, context, articleId, info);
    return withRevision(await publishDraft(context, { draft, rendered, check }, credentialId, read));
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => DraftType, {
    description:
      'Schedules the publication of one of your drafts, or changes its time. Later changes of the draft keep the schedule.',
  })
  async scheduleDraft(
    @Args(() => ScheduleDraftArgs) { id, publishAt }: ScheduleDraftArgs,
    @Ctx() context: Context,
  ): Promise<RootResult<DraftRow>> {
    const check = requirePublishable(context, publishAt);
    const guard = { credentialId: viewerOf(context).credentialId, check };
    const draft = await scheduleDraft(context.database, parseId(id, 'DRAFT_NOT_FOUND'), publishAt, guard);
    return withRevision(draft);
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => DraftType, {
    description: 'Removes the schedule of one of your drafts, and the error of its last publication; idempotent.',
  })
  async unscheduleDraft(
    @Args(() => ConditionalIdArgs) { id }: ConditionalIdArgs,
    @Ctx() context: Context,
  ): Promise<RootResult<DraftRow>> {
    const guard = { credentialId: viewerOf(context).credentialId, check: requireChangeableDraft(context) };
    return withRevision(await unscheduleDraft(context.database, parseId(id, 'DRAFT_NOT_FOUND'), guard));
  }
}

/** @param publishAt the time of a schedule. @returns a check that throws DRAFT_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_FAILED */
function requirePublishable(context: Context, publishAt?: string) {
  const requireChangeable = requireChangeableDraft(context);
  return async (draft: InferAttributes<Draft>, db: Pick<Transaction, 'query'>) => {
    requireChangeable(draft);
    await requireComplete(db, draft, publishAt === undefined ? [] : findWrongTime(publishAt, context.database.now()));
  };
}
