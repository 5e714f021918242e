/** Articles: writing and reading one. */
import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { ADD_TAGS, Article, type ArticleRow, TAG_ARTICLE } from '../models/article.js';
import { CATEGORY_FOR_ARTICLE, type CategoryRow } from '../models/category.js';
import type { MemberRow } from '../models/member.js';
import { explainViolation } from '../models/violation.js';
import { ArticleType, CategoryType, CreateArticleInput } from '../schema/article.js';
import { excerptOf } from '../schema/excerpt.js';
import { IdArgs, rowId } from '../schema/id.js';
import { MemberType } from '../schema/member.js';

@Resolver(() => ArticleType)
export class ArticleResolver {
  @Query(() => ArticleType)
  async article(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ArticleRow> {
    return existing(context, rowId(id, 'ARTICLE_NOT_FOUND'));
  }

  @Authorized()
  @Mutation(() => ArticleType)
  async createArticle(
    @Arg('input', () => CreateArticleInput) input: CreateArticleInput,
    @Ctx() context: Context,
  ): Promise<ArticleRow> {
    const { memberId } = viewerOf(context);
    const { title, content, category = null } = input;
    const [shelf] = await context.database.query(CATEGORY_FOR_ARTICLE, [memberId, category]);
    if (!shelf) {
      throw new AppError('CATEGORY_NOT_FOUND', { message: `You have no category named ${JSON.stringify(category)}.` });
    }
    try {
      const id = await context.database.inTransaction(async (transaction) => {
        const article = await Article.create({ memberId, categoryId: shelf.id, title, content }, { transaction });
        const tags = normaliseTags(input.tags ?? []);
        if (tags.length > 0) {
          await context.database.query(ADD_TAGS, [tags], transaction);
          await context.database.query(TAG_ARTICLE, [article.id, tags], transaction);
        }
        return article.id;
      });
      return await existing(context, id);
    } catch (error) {
      throw explainViolation(error);
    }
  }

  @FieldResolver(() => String, { description: 'The beginning of the content, as plain text.' })
  excerpt(@Root() article: ArticleRow): string {
    return excerptOf(article.content);
  }

  @FieldResolver(() => String, { description: "The author's display name." })
  authorName(@Root() article: ArticleRow): string {
    return article.authorName;
  }

  @FieldResolver(() => MemberType)
  async author(@Root() article: ArticleRow, @Ctx() context: Context): Promise<MemberRow> {
    return required(await context.loaders.memberById.load(article.memberId), 'MEMBER_NOT_FOUND');
  }

  @FieldResolver(() => String, { description: "The category's name." })
  categoryName(@Root() article: ArticleRow): string {
    return article.categoryName;
  }

  @FieldResolver(() => CategoryType)
  async category(@Root() article: ArticleRow, @Ctx() context: Context): Promise<CategoryRow> {
    return required(await context.loaders.categoryById.load(article.categoryId), 'CATEGORY_NOT_FOUND');
  }

  @FieldResolver(() => [String], { description: 'In the order in which the author gave them.' })
  tags(@Root() article: ArticleRow): string[] {
    return article.tags;
  }

  @FieldResolver(() => String, { nullable: true, description: "The address of the article's image." })
  articleImg(@Root() article: ArticleRow, @Ctx() context: Context): string | null {
    return article.image && context.images.url(article.image, context.config.publicUrl);
  }
}

async function existing(context: Context, id: number): Promise<ArticleRow> {
  return required(await context.loaders.articleById.load(id), 'ARTICLE_NOT_FOUND');
}

function required<Row>(row: Row | null, key: 'ARTICLE_NOT_FOUND' | 'MEMBER_NOT_FOUND' | 'CATEGORY_NOT_FOUND'): Row {
  if (row === null) throw new AppError(key);
  return row;
}

/** Tags are shared between articles, so they have one form: lower case (they are NFC already), each once. */
function normaliseTags(tags: string[]): string[] {
  return [...new Set(tags.map((tag) => tag.toLowerCase()))];
}
