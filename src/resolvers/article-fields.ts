/** Field resolvers of an article for values that are not columns of its row. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Extensions, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID, NEIGHBORS, type Visibility } from '../models/article/article.js';
import { type ArticleHtmlRow, HTML_BY_ARTICLE } from '../models/article/html.js';
import type { ListedArticle } from '../models/article/list.js';
import { metadataIn } from '../models/article/metadata.js';
import { approximateExcerpt, MAX_EXCERPT_LENGTH } from '../models/article/text.js';
import { MAX_TRANSLATIONS, type TranslationRow } from '../models/article/translation.js';
import { CATEGORIES_BY_ID, type CategoryRow } from '../models/category.js';
import { COMMENT_ORDERS } from '../models/comment/list.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { toDate } from '../platform/database/columns.js';
import type { Slice } from '../platform/database/keyset.js';
import {
  ArticleNeighborsType,
  ArticleType,
  CreateArticleInput,
  TranslationType,
  VisibilityEnum,
} from '../schema/article.js';
import { CategoryType } from '../schema/category.js';
import { ArticleCommentsArgs, CommentList, CommentPageArgs } from '../schema/comment.js';
import { CONTENT_COST, CONTENT_HTML_COST, MARKDOWN_COST } from '../schema/cost.js';
import { IMAGE_HEIGHT, IMAGE_WIDTH, ImageSizeType } from '../schema/image.js';
import { MemberType, RegisterInput } from '../schema/member.js';
import { pageSlice, toPage } from '../schema/page.js';
import { LimitedAs, MaxItems, MaxLength } from '../schema/response-limits.js';
import { DateTime, type Moment } from '../schema/scalars.js';
import { ARTICLE_STAMPS, CoveredBy } from '../schema/stamped.js';
import { DirectlyIn, InParentRow, ONE_ARTICLE } from '../schema/statements.js';
import { readerOf } from '../services/auth/policy.js';
import { IMAGE_WIDTHS, type SizedImage, sizesOf } from '../services/images/store.js';
import { renderForReader, renderPreview } from '../services/rendering/article-html.js';
import { markdownFile } from '../services/rendering/markdown-file.js';
import { RENDERER_VERSION } from '../services/rendering/renderer.js';
import { toServedHtml } from '../services/rendering/served-html.js';
import { commentsOfArticle } from './comment-list.js';
import { readConnection } from './connection.js';
import { requireRow } from './row.js';

const MARKDOWN_EXAMPLE = `---
title: "A morning at the lighthouse"
date: 2026-11-20T09:30:00Z
lastmod: 2026-11-20T09:30:00Z
slug: "a-morning-at-the-lighthouse"
author: "mina"
categories:
  - "Travel"
tags:
  - "sea"
draft: false
---
The fog lifts at nine, and there it is.`;

@CoveredBy(...ARTICLE_STAMPS)
@Resolver(() => ArticleType)
export class ArticleFieldResolver {
  @InParentRow()
  @LimitedAs(() => CreateArticleInput, 'content')
  @FieldResolver(() => String, { description: 'The content in Markdown.', complexity: CONTENT_COST })
  async content(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string> {
    return article.content ?? (await loadFullArticle(article, context)).content;
  }

  @InParentRow()
  @Extensions({ example: MARKDOWN_EXAMPLE })
  @FieldResolver(() => String, {
    description:
      'A Markdown file: YAML front matter with the names that Hugo uses, and the content. `draft` is true for a private article.',
    complexity: MARKDOWN_COST,
  })
  async markdown(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string> {
    const frontMatter = {
      title: article.title,
      date: toDate(article.createdAt),
      lastmod: toDate(article.updatedAt),
      slug: article.slug,
      author: article.authorName,
      categories: [article.categoryName],
      tags: await this.tags(article, context),
      metadata: metadataIn(article),
      excerpt: this.excerpt(article),
      image: this.articleImg(article, context),
      draft: article.isPrivate,
      key: article.key ?? (await loadFullArticle(article, context)).key,
    };
    return markdownFile(frontMatter, await this.content(article, context));
  }

  @FieldResolver(() => String, {
    description:
      'The content as sanitized HTML: no scripts, styles or forms. Uploaded images have `srcset`, `sizes`, `width` and `height`. Headings have ids and ' +
      'footnotes are a section at the end, with ids that begin with `text-`. In a list, an article that cannot be rendered at the moment has its escaped text.',
    complexity: CONTENT_HTML_COST,
  })
  async contentHtml(
    @Root() article: ListedArticle,
    @Ctx() context: Context,
    @Info() { path }: GraphQLResolveInfo,
  ): Promise<string> {
    const stored = await storedHtml(article, context);
    if (stored) return toServedHtml(stored, context.images, context.config);
    const contentOf = () => this.content(article, context);
    if (context.deferredHtml) return context.deferredHtml.add(article.id, await contentOf(), isInList(path));
    if (isModerated(article, context)) return renderPreview(context, await contentOf());
    const rendering = renderForReader(context, article.id, readerOf(context));
    const html = await (isInList(path) ? context.html.orEscaped(rendering, contentOf) : rendering);
    return requireRow(html, 'ARTICLE_NOT_FOUND');
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Like contentHtml, without waiting: null while the HTML is not rendered yet.',
    complexity: CONTENT_HTML_COST,
  })
  async renderedHtml(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string | null> {
    const stored = await storedHtml(article, context);
    if (!stored) context.html.isProvisional = true;
    return stored && toServedHtml(stored, context.images, context.config);
  }

  @InParentRow()
  @Extensions({ example: '2026-11-20T09:30:00' })
  @FieldResolver(() => DateTime, { description: 'Time of publication, in UTC. Its author may have set it.' })
  publishedAt(@Root() article: ListedArticle): Moment {
    return article.createdAt;
  }

  @InParentRow()
  @MaxLength(MAX_EXCERPT_LENGTH)
  @FieldResolver(() => String, {
    description:
      'The beginning of the content as plain text, at most 200 characters, without headings, alternative texts and footnotes.',
  })
  excerpt(@Root() article: ListedArticle): string {
    return article.excerpt ?? approximateExcerpt(article.beginning ?? '');
  }

  @InParentRow()
  @LimitedAs(() => RegisterInput, 'nickname')
  @FieldResolver(() => String, { description: "The author's display name." })
  authorName(@Root() article: ListedArticle): string {
    return article.authorName;
  }

  @InParentRow()
  @FieldResolver(() => String, {
    nullable: true,
    description: "URL of the author's profile image; null if there is none.",
  })
  authorImg(@Root() article: ListedArticle, @Ctx() context: Context): string | null {
    return article.authorImage && context.images.url(article.authorImage, context.config.publicUrl);
  }

  @FieldResolver(() => MemberType, { description: 'The author.' })
  async author(@Root() article: ListedArticle, @Ctx() context: Context): Promise<MemberRow> {
    return requireRow(await context.loaders.byId(MEMBERS_BY_ID).load(article.memberId), 'MEMBER_NOT_FOUND');
  }

  @InParentRow()
  @LimitedAs(() => CreateArticleInput, 'category')
  @FieldResolver(() => String, { description: "The category's name." })
  categoryName(@Root() article: ListedArticle): string {
    return article.categoryName;
  }

  @FieldResolver(() => CategoryType, { description: 'The category.' })
  async category(@Root() article: ListedArticle, @Ctx() context: Context): Promise<CategoryRow> {
    return requireRow(await context.loaders.byId(CATEGORIES_BY_ID).load(article.categoryId), 'CATEGORY_NOT_FOUND');
  }

  @InParentRow()
  @LimitedAs(() => CreateArticleInput, 'tags')
  @FieldResolver(() => [String], { description: 'Tags, in the order given by the author.' })
  async tags(@Root() article: ListedArticle, @Ctx() context: Context): Promise<string[]> {
    return article.tags ?? (await loadFullArticle(article, context)).tags;
  }

  @InParentRow()
  @MaxItems(MAX_TRANSLATIONS)
  @FieldResolver(() => [TranslationType], {
    description: 'The other public articles that are translations of it, by language, for every reader.',
  })
  async translations(@Root() article: ListedArticle, @Ctx() context: Context): Promise<TranslationRow[]> {
    return article.translations ?? (await loadFullArticle(article, context)).translations;
  }

  @InParentRow()
  @FieldResolver(() => String, { nullable: true, description: "URL of the article's image; null if there is none." })
  articleImg(@Root() article: ListedArticle, @Ctx() context: Context): string | null {
    return article.image && context.images.url(article.image, context.config.publicUrl);
  }

  @InParentRow()
  @LimitedAs(() => CreateArticleInput, 'articleImgAlt')
  @FieldResolver(() => String, {
    nullable: true,
    description: "Alternative text of the article's image; null if there is none.",
  })
  articleImgAlt(@Root() article: ListedArticle): string | null {
    return article.imageAlt;
  }

  @InParentRow()
  @Extensions({ example: 1600 })
  @FieldResolver(() => Int, { nullable: true, description: IMAGE_WIDTH })
  articleImgWidth(@Root() { imageWidth }: ListedArticle): number | null {
    return imageWidth;
  }

  @InParentRow()
  @Extensions({ example: 900 })
  @FieldResolver(() => Int, { nullable: true, description: IMAGE_HEIGHT })
  articleImgHeight(@Root() { imageHeight }: ListedArticle): number | null {
    return imageHeight;
  }

  @InParentRow()
  @MaxItems(IMAGE_WIDTHS.length)
  @FieldResolver(() => [ImageSizeType], {
    description: "The smaller sizes of the article's image, by width; empty if there are none.",
  })
  articleImgSizes(@Root() { image, imageWidth }: ListedArticle, @Ctx() { images, config }: Context): SizedImage[] {
    return image === null ? [] : sizesOf(images, image, imageWidth, config.publicUrl);
  }

  @InParentRow()
  @FieldResolver(() => VisibilityEnum, { description: 'Who can read the article.' })
  visibility(@Root() { isPrivate }: ListedArticle): Visibility {
    return isPrivate ? 'PRIVATE' : 'PUBLIC';
  }

  @DirectlyIn(...ONE_ARTICLE)
  @CoveredBy('journal')
  @FieldResolver(() => ArticleNeighborsType, { description: 'As the query neighbors.' })
  async neighbors(@Root() { id }: ListedArticle, @Ctx() context: Context): Promise<ArticleNeighborsType> {
    const [row] = await context.database.query(NEIGHBORS, [id, readerOf(context)]);
    return requireRow(row, 'ARTICLE_NOT_FOUND');
  }

  @DirectlyIn(...ONE_ARTICLE)
  @CoveredBy('article', 'slug', 'summary')
  @FieldResolver(() => CommentList.page, {
    description: 'Top-level comments, in numbered pages, as the query comments.',
  })
  async commentPage(
    @Root() { id }: ListedArticle,
    @Args(() => CommentPageArgs) args: CommentPageArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const comments = commentsOfArticle(context, { articleId: String(id), sort: args.sort }, { info, path: 'contents' });
    return toPage(args, await comments.find(pageSlice(args)));
  }

  @CoveredBy('article', 'slug', 'summary')
  @FieldResolver(() => CommentList.connection, { description: 'Top-level comments.' })
  async comments(
    @Root() article: ListedArticle,
    @Args(() => ArticleCommentsArgs) args: ArticleCommentsArgs,
    @Ctx() context: Context,
  ) {
    const order = COMMENT_ORDERS[args.sort];
    const find = async (slice: Slice) => {
      const found = await context.loaders.comments(order, slice, readerOf(context)).load(article.id);
      return requireRow(found, 'ARTICLE_NOT_FOUND');
    };
    return readConnection({ order, type: 'timestamptz', find }, args);
  }
}

async function loadFullArticle({ id }: ListedArticle, context: Context) {
  return requireRow(await context.loaders.byId(ARTICLES_BY_ID, readerOf(context)).load(id), 'ARTICLE_NOT_FOUND');
}

/** Null where none is stored; of a removed article that a moderator reads, it would be that of the current content. */
async function storedHtml(article: ListedArticle, context: Context): Promise<ArticleHtmlRow | null> {
  if (isModerated(article, context)) return null;
  return context.loaders.byId(HTML_BY_ARTICLE, RENDERER_VERSION).load(article.id);
}

/** Whether the value belongs to an item of a list. */
function isInList(path: GraphQLResolveInfo['path'] | undefined): boolean {
  for (let step = path; step; step = step.prev) if (typeof step.key === 'number') return true;
  return false;
}

function isModerated({ removedAt, memberId }: ListedArticle, context: Context): boolean {
  return removedAt !== null && memberId !== readerOf(context).articleReaderId;
}
