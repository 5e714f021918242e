/** Revisions of articles and drafts, for their authors: lists, single ones, and restoring one of an article. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Resolver } from 'type-graphql';
import { editArticle } from '../commands/change-article.js';
import type { Context } from '../context.js';
import { type RootResult, withRevision } from '../execute.js';
import type { ArticleRow } from '../models/article/article.js';
import { isRevised, revisedInput } from '../models/article/metadata.js';
import { FIND_REVISION, REVISION_PAGE, type RevisionDetailRow } from '../models/article/revision.js';
import { DRAFT_REVISION_PAGE, FIND_DRAFT_REVISION } from '../models/draft/revision.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { AuthorizedMutation, AuthorizedQuery } from '../schema/auth.js';
import { pageSlice, toPage } from '../schema/page.js';
import {
  ArticleRevisionArgs,
  ArticleRevisionsArgs,
  DraftRevisionArgs,
  DraftRevisionsArgs,
  RestoreRevisionArgs,
  RevisionDetailType,
  RevisionPage,
} from '../schema/revision.js';
import { requireOwnArticle, viewerOf } from '../services/auth/policy.js';
import { memberTask } from '../services/limits/client-task.js';
import { countText } from '../services/limits/writes.js';
import { renderForWrite } from '../services/rendering/article-html.js';
import { requireArticle, requireChangeable } from './article.js';
import { authorOf } from './draft.js';
import { reloadArticle } from './reload-article.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class RevisionResolver {
  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => RevisionPage, { description: 'The revisions of one of your articles, newest first.' })
  async articleRevisions(@Args(() => ArticleRevisionsArgs) args: ArticleRevisionsArgs, @Ctx() context: Context) {
    const { id } = await requireOwn(context, args.articleId);
    const { limit, offset } = pageSlice(args);
    const rows = await context.database.query(REVISION_PAGE, [id, limit, offset]);
    return toPage(args, { contents: rows.filter(({ number }) => number !== null), total: rows[0]?.total ?? 0 });
  }

  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => RevisionDetailType, { description: 'A revision of one of your articles, with its content.' })
  async articleRevision(
    @Args(() => ArticleRevisionArgs) { articleId, number }: ArticleRevisionArgs,
    @Ctx() context: Context,
  ): Promise<RevisionDetailRow> {
    return findRevision(context, (await requireOwn(context, articleId)).id, number);
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ArticleType, {
    description:
      'Edits one of your articles: it gets the title, the content and the tags of a revision. The current state becomes a revision, ' +
      'so that this can be undone. Without a difference nothing changes, and the revision stays.',
  })
  async restoreRevision(
    @Args(() => RestoreRevisionArgs) { articleId, number }: RestoreRevisionArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RootResult<ArticleRow>> {
    const article = await requireArticle(context, parseId(articleId, 'ARTICLE_NOT_FOUND'));
    const check = requireChangeable(context);
    check(article);
    const revision = await findRevision(context, article.id, number);
    const { title, content, tags } = revision;
    const isRewritten = content !== article.content;
    if (
      !isRewritten &&
      title === article.title &&
      !isRevised(revision, article) &&
      tags.join('\n') === article.tags.join('\n')
    )
      return withRevision(article);
    await countText(context, article.memberId, content);
    const task = memberTask(context, article.memberId);
    const rendered = isRewritten
      ? await renderForWrite(context.services.renderer, content, task, context.config.publicUrl)
      : null;
    const edit = { input: { title, content, tags, ...revisedInput(revision) }, rendered };
    const guard = { credentialId: viewerOf(context).credentialId, check };
    const read = (db: Transaction) => reloadArticle(db, context, article.id, info);
    return withRevision(await editArticle(context, article.id, edit, undefined, guard, read));
  }
}

async function requireOwn(context: Context, articleId: string): Promise<ArticleRow> {
  const article = await requireArticle(context, parseId(articleId, 'ARTICLE_NOT_FOUND'));
  requireOwnArticle(context)(article);
  return article;
}

async function findRevision(context: Context, articleId: number, number: number): Promise<RevisionDetailRow> {
  const [found] = await context.database.query(FIND_REVISION, [articleId, number]);
  return requireRow(found, 'REVISION_NOT_FOUND');
}

@Resolver()
export class DraftRevisionResolver {
  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedQuery(() => RevisionPage, { description: 'The earlier states of one of your drafts, newest first.' })
  async draftRevisions(@Args(() => DraftRevisionsArgs) args: DraftRevisionsArgs, @Ctx() context: Context) {
    const { memberId, seesPrivate } = authorOf(context);
    const values = [parseId(args.draftId, 'DRAFT_NOT_FOUND'), memberId, seesPrivate] as const;
    const { limit, offset } = pageSlice(args);
    const rows = await context.database.query(DRAFT_REVISION_PAGE, [...values, limit, offset]);
    const { total } = requireRow(rows[0], 'DRAFT_NOT_FOUND');
    return toPage(args, { contents: rows.filter(({ number }) => number !== null), total });
  }

  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedQuery(() => RevisionDetailType, {
    description: 'An earlier state of one of your drafts, with its content.',
  })
  async draftRevision(
    @Args(() => DraftRevisionArgs) { draftId, number }: DraftRevisionArgs,
    @Ctx() context: Context,
  ): Promise<RevisionDetailRow> {
    const { memberId, seesPrivate } = authorOf(context);
    const values = [parseId(draftId, 'DRAFT_NOT_FOUND'), memberId, seesPrivate, number] as const;
    const [found] = await context.database.query(FIND_DRAFT_REVISION, [...values]);
    const revision = requireRow(found, 'DRAFT_NOT_FOUND');
    if (revision.number === null) throw new AppError('REVISION_NOT_FOUND');
    return revision;
  }
}
