/** Field resolvers of an article for values that are not columns of its row. */
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { clientTask } from '../limits/client-task.js';
import type { ListedArticle } from '../models/article-row.js';
import type { CategoryRow } from '../models/category.js';
import { excerptOf } from '../models/excerpt.js';
import type { MemberRow } from '../models/member.js';
import { renderStored } from '../rendering/article-html.js';
import { toAbsoluteImageUrls } from '../rendering/image-urls.js';
import { ArticleType } from '../schema/article.js';
import { CategoryType } from '../schema/category.js';
import { CommentConnection } from '../schema/comment-list.js';
import { ConnectionArgs } from '../schema/connection.js';
import { CONTENT_COST, CONTENT_HTML_COST, listCost } from '../schema/cost.js';
import { MemberType } from '../schema/member.js';
import { readSlice, toConnection } from './connection.js';
import { requireRow } from './row.js';

@Resolver(() => ArticleType)
export class ArticleFieldResolver {
  @FieldResolver(() => String, { description: 'Markdown.', complexity: CONTENT_COST })
  async content(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string> {
    return article.content ?? (await whole(article, context)).content;
  }

  @FieldResolver(() => String, {
    description: 'The content as HTML that is safe to show: no scripts, no styles, no forms.',
    complexity: CONTENT_HTML_COST,
  })
  async contentHtml(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string> {
    const stored = await context.loaders.htmlByArticle.load(article.id);
    const html = stored?.html ?? (await renderStored(context, article.id, clientTask(context)));
    return toAbsoluteImageUrls(requireRow(html, 'ARTICLE_NOT_FOUND'), context.config.publicUrl);
  }

  @FieldResolver(() => String, { description: 'The beginning of the content, as plain text.' })
  excerpt(@Root() article: ListedArticle): string {
    return article.excerpt ?? excerptOf(article.content ?? '');
  }

  @FieldResolver(() => String, { description: "The author's display name." })
  authorName(@Root() article: ListedArticle): string {
    return article.authorName;
  }

  @FieldResolver(() => MemberType, { description: 'Who wrote it.' })
  async author(@Root() article: ListedArticle, @Ctx() context: Context): Promise<MemberRow> {
    return requireRow(await context.loaders.memberById.load(article.memberId), 'MEMBER_NOT_FOUND');
  }

  @FieldResolver(() => String, { description: "The category's name." })
  categoryName(@Root() article: ListedArticle): string {
    return article.categoryName;
  }

  @FieldResolver(() => CategoryType, { description: 'Where its author has filed it.' })
  async category(@Root() article: ListedArticle, @Ctx() context: Context): Promise<CategoryRow> {
    return requireRow(await context.loaders.categoryById.load(article.categoryId), 'CATEGORY_NOT_FOUND');
  }

  @FieldResolver(() => [String], { description: 'In the order in which the author gave them.' })
  async tags(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string[]> {
    return article.tags ?? (await whole(article, context)).tags;
  }

  @FieldResolver(() => String, { nullable: true, description: "The address of the article's image." })
  articleImg(@Root() article: ListedArticle, @Ctx() context: Context): string | null {
    return article.image && context.images.url(article.image, context.config.publicUrl);
  }

  @FieldResolver(() => CommentConnection, {
    description: 'Its top-level comments, newest first.',
    complexity: listCost,
  })
  async comments(
    @Root() article: ListedArticle,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ) {
    const slice = readSlice(args, 'ofArticle', 'timestamptz');
    const found = await context.loaders.comments('ofArticle', slice).load(article.id);
    return toConnection(requireRow(found, 'ARTICLE_NOT_FOUND'), args, 'ofArticle');
  }
}

async function whole({ id }: ListedArticle, context: Context) {
  return requireRow(await context.loaders.articleById.load(id), 'ARTICLE_NOT_FOUND');
}
