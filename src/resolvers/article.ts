/** Articles: creating, editing, deleting and reading a single one. */

import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Authorized, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql';
import { requireOwnArticle, viewerOf } from '../auth/policy.js';
import { createArticle } from '../commands/create-article.js';
import { deleteArticle } from '../commands/delete-article.js';
import { editArticle, requireVersion } from '../commands/edit-article.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireRevision } from '../http/if-match.js';
import { prepareImage } from '../images/image.js';
import { memberTask } from '../limits/client-task.js';
import { createMessage } from '../messages/message.js';
import type { ArticleRow } from '../models/article/article.js';
import { readStamp } from '../models/stamp.js';
import { normalizeTags } from '../models/tag.js';
import { renderForWrite, renderPreview } from '../rendering/article-html.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import {
  ArticlePreviewType,
  ArticleType,
  CreateArticleInput,
  PreviewArticleArgs,
  UpdateArticleArgs,
} from '../schema/article.js';
import { PREVIEW_COST } from '../schema/cost.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { IdArgs } from '../schema/scalars.js';
import { Stamped } from '../schema/stamped.js';
import { readingBack, reloadArticle } from './read-back.js';
import { requireRow, rowId } from './row.js';

@Resolver(() => ArticleType)
export class ArticleResolver {
  @Stamped({ kind: 'article', id: 'id', isInQuery: true }, { kind: 'summary', id: 'id' })
  @ApiTokenScopes('public')
  @Query(() => ArticleType, { nullable: true, description: 'One article.' })
  async article(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ArticleRow> {
    const found = await requireArticle(context, rowId(id, 'ARTICLE_NOT_FOUND'));
    context.responseMeta.stamp = readStamp(found.stamp);
    return found;
  }

  @Authorized()
  @ApiTokenScopes('articles')
  @Query(() => ArticlePreviewType, {
    nullable: true,
    description: 'A text as the HTML of an article with this content. Nothing is stored. Authentication required.',
    complexity: PREVIEW_COST,
  })
  async previewArticle(
    @Args(() => PreviewArticleArgs) { content }: PreviewArticleArgs,
    @Ctx() context: Context,
  ): Promise<ArticlePreviewType> {
    const key = String(viewerOf(context).memberId);
    return { contentHtml: await context.limits.previews.run(key, () => renderPreview(context, content)) };
  }

  @Authorized()
  @IdempotencyKey('applies')
  @ApiTokenScopes('articles')
  @Mutation(() => ArticleType, { description: 'Creates an article. Authentication required.' })
  async createArticle(
    @Arg('input', () => CreateArticleInput, { description: 'The new article.' }) {
      title,
      content,
      ...input
    }: CreateArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow> {
    const { memberId, sessionId: accessId } = viewerOf(context);
    const tags = normalizeTags(input.tags ?? []);
    const task = memberTask(context, memberId);
    const prepared = input.image ? await prepareImage(input.image.bytes, task) : undefined;
    const rendered = await renderForWrite(context.renderer, content, task.key, context.config.publicUrl);
    const imageAlt = input.articleImgAlt || null;
    const article = { memberId, accessId, category: input.category ?? null, title, content, rendered, tags, imageAlt };
    const reading = readingBack(context, (id) => reloadArticle(context, Number(id), info));
    return revised(context, await createArticle(reading, article, prepared));
  }

  @Authorized()
  @IdempotencyKey('applies')
  @ApiTokenScopes('articles')
  @Mutation(() => ArticleType, {
    description:
      'Edits one of your articles. Omitted fields keep their values, except title and content, which are required. ' +
      'Authentication required.',
  })
  async updateArticle(
    @Args(() => UpdateArticleArgs) { id, input }: UpdateArticleArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow> {
    if (input.image && input.removeImage) throw invalid('removeImage', createMessage('cannotCombineWithImage'));
    const tags = input.tags ? normalizeTags(input.tags) : undefined;
    const task = memberTask(context, viewerOf(context).memberId);
    const prepared = input.image ? await prepareImage(input.image.bytes, task) : undefined;
    const article = await requireArticle(context, rowId(id, 'ARTICLE_NOT_FOUND'));
    requireChangeable(context)(article);
    const version = input.version ?? undefined;
    requireVersion(article.version, version);
    const category = input.category ?? undefined;
    const { title, content } = input;
    const isRewritten = content !== article.content;
    const rendered = isRewritten
      ? await renderForWrite(context.renderer, content, task.key, context.config.publicUrl)
      : null;
    const { articleImgAlt } = input;
    const imageAlt = articleImgAlt == null ? undefined : articleImgAlt || null;
    const edit = { title, content, rendered, category, tags, imageAlt, version };
    const image = input.removeImage ? null : prepared;
    const reading = readingBack(context, () => reloadArticle(context, article.id, info));
    const guard = { accessId: viewerOf(context).sessionId, check: requireChangeable(context) };
    await editArticle(reading, article.id, edit, image, guard);
    return revised(context, article.id);
  }

  @Authorized()
  @IdempotencyKey('applies')
  @ApiTokenScopes('articles')
  @Mutation(() => ArticleType, {
    description: 'Deletes one of your articles and its comments. Authentication required.',
  })
  async deleteArticle(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ArticleRow> {
    const article = await requireArticle(context, rowId(id, 'ARTICLE_NOT_FOUND'));
    requireChangeable(context)(article);
    await deleteArticle(context.database, article.id, requireChangeable(context));
    return article;
  }
}

/** @returns a check that throws ARTICLE_FORBIDDEN, PRECONDITION_FAILED */
function requireChangeable(context: Context): (article: { memberId: number; version: number }) => void {
  const requireOwn = requireOwnArticle(context);
  return (article) => {
    requireOwn(article);
    requireRevision(context.ifMatch, article.version);
  };
}

/** The article after a change of its content. */
async function revised(context: Context, id: number): Promise<ArticleRow> {
  const article = await requireArticle(context, id);
  context.responseMeta.revision = article.version;
  return article;
}

async function requireArticle(context: Context, id: number): Promise<ArticleRow> {
  return requireRow(await context.loaders.articleById.load(id), 'ARTICLE_NOT_FOUND');
}
