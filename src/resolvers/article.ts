/** Articles: creating, editing, deleting and reading a single one. */
import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { requireOwnArticle, viewerOf } from '../auth/policy.js';
import { addArticle, editArticle, removeArticle, requireVersion } from '../commands/article.js';
import { withImage } from '../commands/image.js';
import type { Context } from '../context.js';
import { explainViolation } from '../database/violation.js';
import { invalid } from '../errors.js';
import { prepareImage } from '../images/image.js';
import { memberTask } from '../limits/client-task.js';
import { createMessage } from '../messages/message.js';
import type { ArticleRow } from '../models/article.js';
import { readStamp } from '../models/stamp.js';
import { normaliseTags } from '../models/tag.js';
import { renderForWrite } from '../rendering/article-html.js';
import { ArticleType, CreateArticleInput, UpdateArticleArgs } from '../schema/article.js';
import { IdArgs, rowId } from '../schema/id.js';
import { requireRow } from './row.js';

@Resolver(() => ArticleType)
export class ArticleResolver {
  @Query(() => ArticleType, { description: 'One article.' })
  async article(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ArticleRow> {
    const found = await existing(context, rowId(id, 'ARTICLE_NOT_FOUND'));
    context.responseMeta.stamp = readStamp(found.stamp);
    return found;
  }

  @Authorized()
  @Mutation(() => ArticleType, { description: 'Creates an article. Authentication required.' })
  async createArticle(
    @Arg('input', () => CreateArticleInput, { description: 'The new article.' }) {
      title,
      content,
      ...input
    }: CreateArticleInput,
    @Ctx() context: Context,
  ): Promise<ArticleRow> {
    const { memberId } = viewerOf(context);
    const tags = normaliseTags(input.tags ?? []);
    const task = memberTask(context, memberId);
    const prepared = input.image ? await prepareImage(input.image.bytes, task) : undefined;
    const { database, config } = context;
    const html = await renderForWrite(content, task.key, config.publicUrl);
    const id = await explained(() =>
      withImage(context, prepared, (key) => {
        const article = { memberId, category: input.category ?? null, title, content, html, tags, image: key ?? null };
        return database.inTransaction((transaction) => addArticle(database, article, transaction));
      }),
    );
    return existing(context, id);
  }

  @Authorized()
  @Mutation(() => ArticleType, {
    description:
      'Edits one of your articles. Omitted fields keep their values, except title and content, which are required. ' +
      'Authentication required.',
  })
  async updateArticle(
    @Args(() => UpdateArticleArgs) { id, input }: UpdateArticleArgs,
    @Ctx() context: Context,
  ): Promise<ArticleRow> {
    if (input.image && input.removeImage) throw invalid('removeImage', createMessage('cannotCombineWithImage'));
    const tags = input.tags ? normaliseTags(input.tags) : undefined;
    const task = memberTask(context, viewerOf(context).memberId);
    const prepared = input.image ? await prepareImage(input.image.bytes, task) : undefined;
    const article = await existing(context, rowId(id, 'ARTICLE_NOT_FOUND'));
    requireOwnArticle(context)(article);
    const version = input.version ?? undefined;
    requireVersion(article.version, version);
    const category = input.category ?? undefined;
    const { database, config } = context;
    const { title, content } = input;
    const html = content === article.content ? null : await renderForWrite(content, task.key, config.publicUrl);
    await explained(() =>
      withImage(context, prepared, (key) => {
        const image = input.removeImage ? null : key;
        const edit = { title, content, html, category, tags, image, version };
        return database.inTransaction((transaction) =>
          editArticle(database, article.id, edit, transaction, requireOwnArticle(context)),
        );
      }),
    );
    context.loaders.articleById.clear(article.id);
    context.loaders.htmlByArticle.clear(article.id);
    return existing(context, article.id);
  }

  @Authorized()
  @Mutation(() => ArticleType, {
    description: 'Deletes one of your articles and its comments. Authentication required.',
  })
  async deleteArticle(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ArticleRow> {
    const article = await existing(context, rowId(id, 'ARTICLE_NOT_FOUND'));
    requireOwnArticle(context)(article);
    const { database } = context;
    await database.inTransaction((transaction) =>
      removeArticle(database, article.id, transaction, requireOwnArticle(context)),
    );
    return article;
  }
}

async function existing(context: Context, id: number): Promise<ArticleRow> {
  return requireRow(await context.loaders.articleById.load(id), 'ARTICLE_NOT_FOUND');
}

async function explained<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw explainViolation(error);
  }
}
