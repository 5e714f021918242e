/** Field resolvers of an article for values that are not columns of its row. */

import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { commentReaderOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { IMAGE_WIDTHS, type SizedImage, sizesOf } from '../images/store.js';
import type { ListedArticle } from '../models/article/list.js';
import { approximateExcerpt, MAX_EXCERPT_LENGTH } from '../models/article/text.js';
import type { CategoryRow } from '../models/category.js';
import { COMMENT_ORDERS } from '../models/comment/list.js';
import type { MemberRow } from '../models/member/member.js';
import { renderForReader } from '../rendering/article-html.js';
import { toServedHtml } from '../rendering/served-html.js';
import { ArticleType, CreateArticleInput } from '../schema/article.js';
import { CategoryType } from '../schema/category.js';
import { ArticleCommentsArgs, CommentConnection } from '../schema/comment.js';
import { CONTENT_COST, CONTENT_HTML_COST, lengthCost, listCost } from '../schema/cost.js';
import { ImageSizeType } from '../schema/image.js';
import { MemberType, RegisterInput } from '../schema/member.js';
import { LimitedAs, MaxItems, MaxLength } from '../schema/response-limits.js';
import { CoveredBy } from '../schema/stamped.js';
import { InParentRow } from '../schema/statements.js';
import { readSlice, toConnection } from './connection.js';
import { requireRow } from './row.js';

@Resolver(() => ArticleType)
export class ArticleFieldResolver {
  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @LimitedAs(() => CreateArticleInput, 'content')
  @FieldResolver(() => String, { description: 'The content in Markdown.', complexity: CONTENT_COST })
  async content(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string> {
    return article.content ?? (await loadFullArticle(article, context)).content;
  }

  @CoveredBy('article', 'journal', 'summary')
  @FieldResolver(() => String, {
    description:
      'The content as sanitized HTML: no scripts, styles or forms. Uploaded images have `srcset`, `sizes`, `width` and `height`.',
    complexity: CONTENT_HTML_COST,
  })
  async contentHtml(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string> {
    const stored = await context.loaders.htmlByArticle.load(article.id);
    if (stored) return toServedHtml(stored, context.images, context.config.publicUrl);
    if (context.deferredHtml) return context.deferredHtml.add(article.id, await this.content(article, context));
    return requireRow(await renderForReader(context, article.id), 'ARTICLE_NOT_FOUND');
  }

  @CoveredBy('article', 'journal', 'summary')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Like contentHtml, without waiting: null while the HTML is not rendered yet.',
    complexity: CONTENT_HTML_COST,
  })
  async renderedHtml(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string | null> {
    const stored = await context.loaders.htmlByArticle.load(article.id);
    if (!stored) context.responseMeta.isProvisional = true;
    return stored && toServedHtml(stored, context.images, context.config.publicUrl);
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @MaxLength(MAX_EXCERPT_LENGTH)
  @FieldResolver(() => String, { description: 'The beginning of the content as plain text, at most 200 characters.' })
  excerpt(@Root() article: ListedArticle): string {
    return article.excerpt ?? approximateExcerpt(article.beginning ?? '');
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @LimitedAs(() => RegisterInput, 'nickname')
  @FieldResolver(() => String, { description: "The author's display name." })
  authorName(@Root() article: ListedArticle): string {
    return article.authorName;
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @FieldResolver(() => String, {
    nullable: true,
    description: "URL of the author's profile image; null if there is none.",
  })
  authorImg(@Root() article: ListedArticle, @Ctx() context: Context): string | null {
    return article.authorImage && context.images.url(article.authorImage, context.config.publicUrl);
  }

  @CoveredBy('article', 'journal', 'summary')
  @FieldResolver(() => MemberType, { description: 'The author.' })
  async author(@Root() article: ListedArticle, @Ctx() context: Context): Promise<MemberRow> {
    return requireRow(await context.loaders.memberById.load(article.memberId), 'MEMBER_NOT_FOUND');
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @LimitedAs(() => CreateArticleInput, 'category')
  @FieldResolver(() => String, { description: "The category's name." })
  categoryName(@Root() article: ListedArticle): string {
    return article.categoryName;
  }

  @CoveredBy('article', 'journal', 'summary')
  @FieldResolver(() => CategoryType, { description: 'The category.' })
  async category(@Root() article: ListedArticle, @Ctx() context: Context): Promise<CategoryRow> {
    return requireRow(await context.loaders.categoryById.load(article.categoryId), 'CATEGORY_NOT_FOUND');
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @LimitedAs(() => CreateArticleInput, 'tags')
  @FieldResolver(() => [String], { description: 'Tags, in the order given by the author.' })
  async tags(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string[]> {
    return article.tags ?? (await loadFullArticle(article, context)).tags;
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @FieldResolver(() => String, { nullable: true, description: "URL of the article's image; null if there is none." })
  articleImg(@Root() article: ListedArticle, @Ctx() context: Context): string | null {
    return article.image && context.images.url(article.image, context.config.publicUrl);
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @LimitedAs(() => CreateArticleInput, 'articleImgAlt')
  @FieldResolver(() => String, {
    nullable: true,
    description: "Alternative text of the article's image; null if there is none.",
  })
  articleImgAlt(@Root() article: ListedArticle): string | null {
    return article.imageAlt;
  }

  @InParentRow()
  @CoveredBy('article', 'journal', 'summary')
  @MaxItems(IMAGE_WIDTHS.length)
  @FieldResolver(() => [ImageSizeType], {
    description: "The smaller sizes of the article's image, by width; empty if there are none.",
    complexity: lengthCost(IMAGE_WIDTHS.length),
  })
  articleImgSizes(@Root() { image, imageWidth }: ListedArticle, @Ctx() { images, config }: Context): SizedImage[] {
    return image === null ? [] : sizesOf(images, image, imageWidth, config.publicUrl);
  }

  @CoveredBy('article', 'summary')
  @FieldResolver(() => CommentConnection, {
    description: 'Top-level comments.',
    complexity: listCost,
  })
  async comments(
    @Root() article: ListedArticle,
    @Args(() => ArticleCommentsArgs) args: ArticleCommentsArgs,
    @Ctx() context: Context,
  ) {
    const list = COMMENT_ORDERS[args.sort];
    const slice = readSlice(args, list, 'timestamptz');
    const found = await context.loaders.comments(list, slice, commentReaderOf(context)).load(article.id);
    return toConnection(requireRow(found, 'ARTICLE_NOT_FOUND'), args, list);
  }
}

async function loadFullArticle({ id }: ListedArticle, context: Context) {
  return requireRow(await context.loaders.articleById.load(id), 'ARTICLE_NOT_FOUND');
}
