/** Articles: creating, editing, deleting and reading a single one. */
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { deleteArticle, editArticle, setVisibility } from '../commands/change-article.js';
import { createArticle } from '../commands/create-article.js';
import type { Context } from '../context.js';
import { RootResult, withRevision } from '../execute.js';
import {
  ARTICLE_BY_SLUG,
  ARTICLES_BY_ID,
  type ArticleRow,
  NEIGHBORS,
  REMOVED_ARTICLES_BY_ID,
} from '../models/article/article.js';
import { foldSlug, normalizeSlug } from '../models/article/slug.js';
import { readStamp } from '../models/stamp.js';
import { normalizeTags } from '../models/tag.js';
import type { Transaction } from '../platform/database/pool.js';
import { invalid } from '../platform/errors.js';
import { requireRevision } from '../platform/http/if-match.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import {
  ArticleBySlugArgs,
  ArticleIdArgs,
  ArticleNeighborsType,
  ArticlePreviewType,
  ArticleType,
  CreateArticleInput,
  PreviewArticleArgs,
  SetVisibilityArgs,
  UpdateArticleArgs,
} from '../schema/article.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { ConditionalIdArgs } from '../schema/condition.js';
import { PREVIEW_COST } from '../schema/cost.js';
import { IdArgs } from '../schema/scalars.js';
import { Stamped } from '../schema/stamped.js';
import { requireVisible } from '../schema/validators.js';
import { readerOf, requireNotRemoved, requireOwnArticle, viewerOf } from '../services/auth/policy.js';
import { prepareImage } from '../services/images/image.js';
import { memberTask } from '../services/limits/client-task.js';
import { countText } from '../services/limits/writes.js';
import { renderForWrite, renderPreview } from '../services/rendering/article-html.js';
import { publicationTime } from './publication-time.js';
import { reloadArticle } from './reload-article.js';
import { parseId, parseTranslationOf, requireRow } from './row.js';

@Resolver(() => ArticleType)
export class ArticleResolver {
  @Stamped({ kind: 'article', id: 'id', isInQuery: true }, { kind: 'summary', id: 'id' }, { kind: 'journal' })
  @Query(() => ArticleType, { nullable: true, description: 'One article.' })
  async article(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<RootResult<ArticleRow>> {
    const row = parseId(id, 'ARTICLE_NOT_FOUND');
    const found = requireRow(
      (await findArticle(context, row)) ?? (await findRemoved(context, row)),
      'ARTICLE_NOT_FOUND',
    );
    return new RootResult(found, { version: readStamp(found.stamp) });
  }

  @Stamped({ kind: 'slug', id: 'slug', isInQuery: true }, { kind: 'journal' })
  @Query(() => ArticleType, {
    nullable: true,
    description: 'The article that has this slug, or had it before another one: then its slug differs.',
  })
  async articleBySlug(
    @Args(() => ArticleBySlugArgs) { slug }: ArticleBySlugArgs,
    @Ctx() context: Context,
  ): Promise<RootResult<ArticleRow>> {
    const [row] = await context.database.query(ARTICLE_BY_SLUG, [foldSlug(slug), readerOf(context)]);
    const found = requireRow(row, 'ARTICLE_NOT_FOUND');
    return new RootResult(found, { version: readStamp(found.stamp) });
  }

  @Stamped({ kind: 'journal' })
  @Query(() => ArticleNeighborsType, {
    nullable: true,
    description: 'The public articles of the same author before and after an article, by time of publication.',
  })
  async neighbors(
    @Args(() => ArticleIdArgs) { articleId }: ArticleIdArgs,
    @Ctx() context: Context,
  ): Promise<ArticleNeighborsType> {
    const id = parseId(articleId, 'ARTICLE_NOT_FOUND');
    const [row] = await context.database.query(NEIGHBORS, [id, readerOf(context)]);
    return requireRow(row, 'ARTICLE_NOT_FOUND');
  }

  @ApiTokenScopes('articles', 'drafts')
  @AuthorizedQuery(() => ArticlePreviewType, {
    description: 'A text as the HTML of an article with this content. Nothing is stored.',
    complexity: PREVIEW_COST,
  })
  async previewArticle(
    @Args(() => PreviewArticleArgs) { content }: PreviewArticleArgs,
    @Ctx() context: Context,
  ): Promise<ArticlePreviewType> {
    return { contentHtml: await renderPreview(context, content) };
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ArticleType, { description: 'Creates an article.' })
  async createArticle(
    @Arg('input', () => CreateArticleInput, { description: 'The new article.' }) input: CreateArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RootResult<ArticleRow>> {
    const { memberId, credentialId } = viewerOf(context);
    const publishedAt = publicationTime(context, input.publishedAt);
    const tags = normalizeTags(input.tags ?? []);
    const task = memberTask(context, memberId);
    const prepared = input.image ? await prepareImage(input.image.bytes, task) : undefined;
    const rendered = await renderForWrite(context.services.renderer, input.content, task, context.config.publicUrl);
    const slug = input.slug && normalizeSlug(input.slug);
    const translationOf = await requireTranslation(context, input.translationOf);
    const written = { ...input, slug, tags, publishedAt, translationOf };
    const article = { memberId, credentialId, input: written, rendered };
    const read = (db: Transaction, id: number) => reloadArticle(db, context, id, info);
    return withRevision(await createArticle(context, article, prepared, read));
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ArticleType, {
    description:
      'Edits one of your articles. Omitted fields keep their values, except title and content, which are required.',
  })
  async updateArticle(
    @Args(() => UpdateArticleArgs) { id, input }: UpdateArticleArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RootResult<ArticleRow>> {
    if (input.image && input.removeImage) throw invalid('removeImage', createMessage('cannotCombineWithImage'));
    const publishedAt = publicationTime(context, input.publishedAt);
    const tags = input.tags && normalizeTags(input.tags);
    const task = memberTask(context, viewerOf(context).memberId);
    const prepared = input.image ? await prepareImage(input.image.bytes, task) : undefined;
    const article = await requireArticle(context, parseId(id, 'ARTICLE_NOT_FOUND'));
    requireChangeable(context)(article);
    requireVisible({ title: input.title, content: input.content, tags }, article);
    const isRewritten = input.content !== article.content;
    const rendered = isRewritten
      ? await renderForWrite(context.services.renderer, input.content, task, context.config.publicUrl)
      : null;
    const slug = input.slug && normalizeSlug(input.slug);
    const translationOf = await requireTranslation(context, input.translationOf);
    const edit = { input: { ...input, slug, tags, publishedAt, translationOf }, rendered };
    const image = input.removeImage ? null : prepared;
    const guard = { credentialId: viewerOf(context).credentialId, check: requireChangeable(context) };
    const read = (db: Transaction) => reloadArticle(db, context, article.id, info);
    return withRevision(await editArticle(context, article.id, edit, image, guard, read));
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ArticleType, {
    description:
      'Makes one of your articles public or private: an edit, unless it is so already. The time of publication stays.',
  })
  async setVisibility(
    @Args(() => SetVisibilityArgs) { articleId, visibility }: SetVisibilityArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RootResult<ArticleRow>> {
    const article = await requireArticle(context, parseId(articleId, 'ARTICLE_NOT_FOUND'));
    requireChangeable(context)(article);
    const guard = { credentialId: viewerOf(context).credentialId, check: requireChangeable(context) };
    // All of the text moves in the search index.
    if (article.isPrivate !== (visibility === 'PRIVATE')) await countText(context, article.memberId, article.content);
    const read = (db: Transaction) => reloadArticle(db, context, article.id, info);
    return withRevision(await setVisibility(context, article, visibility, guard, read));
  }

  @WhileSuspended()
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => ArticleType, { description: 'Deletes one of your articles and its comments.' })
  async deleteArticle(
    @Args(() => ConditionalIdArgs) { id }: ConditionalIdArgs,
    @Ctx() context: Context,
  ): Promise<ArticleRow> {
    const article = await requireArticle(context, parseId(id, 'ARTICLE_NOT_FOUND'));
    const check = requireDeletable(context);
    check(article);
    await deleteArticle(context.database, { id: article.id, check });
    return article;
  }
}

type CheckedArticle = Pick<ArticleRow, 'memberId' | 'isPrivate' | 'removedAt' | 'revision'>;

/** @returns a check that throws ARTICLE_FORBIDDEN, also for an article that a moderator has removed, PRECONDITION_FAILED */
export function requireChangeable(context: Context): (article: CheckedArticle) => void {
  const requireOwn = requireDeletable(context);
  return (article) => {
    requireOwn(article);
    requireNotRemoved(article.removedAt !== null, 'ARTICLE_FORBIDDEN');
  };
}

/** @returns a check that throws ARTICLE_FORBIDDEN, PRECONDITION_FAILED */
function requireDeletable(context: Context): (article: CheckedArticle) => void {
  const requireOwn = requireOwnArticle(context);
  return (article) => {
    requireOwn(article);
    requireRevision(context.ifMatch, article.revision);
  };
}

/** @returns as `parseTranslationOf`. @throws AppError ARTICLE_NOT_FOUND, for an article that an API token does not see */
async function requireTranslation(context: Context, id: string | null | undefined): Promise<number | null> {
  const translationOf = parseTranslationOf(id);
  if (translationOf && readerOf(context).articleReaderId === 0) await requireArticle(context, translationOf);
  return translationOf;
}

export async function requireArticle(context: Context, id: number): Promise<ArticleRow> {
  return requireRow(await findArticle(context, id), 'ARTICLE_NOT_FOUND');
}

function findArticle(context: Context, id: number): Promise<ArticleRow | null> {
  return context.loaders.byId(ARTICLES_BY_ID, readerOf(context)).load(id);
}

/** An article that was removed, for moderators. For others, nothing is executed. */
async function findRemoved(context: Context, id: number): Promise<ArticleRow | null> {
  const reader = readerOf(context);
  return reader.moderatorId === 0 ? null : context.loaders.byId(REMOVED_ARTICLES_BY_ID, reader).load(id);
}
