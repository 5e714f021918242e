/** What leads readers to further articles: the archive by month, and related articles. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { ARCHIVE, type ArchiveMonth, MAX_ARCHIVE_MONTHS, MEMBER_ARCHIVE } from '../models/article/archive.js';
import type { ListedArticle } from '../models/article/list.js';
import { findRelated } from '../models/article/related.js';
import { ArticleType } from '../schema/article.js';
import { relatedCost } from '../schema/cost.js';
import { ArchiveArgs, ArchiveMonthType, MAX_RELATED, RelatedArgs, RelatedArticlesArgs } from '../schema/discovery.js';
import { MaxItems } from '../schema/response-limits.js';
import { CoveredBy, Stamped } from '../schema/stamped.js';
import { DirectlyIn, ONE_ARTICLE } from '../schema/statements.js';
import { readerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';
import { articleIncludes } from './selection.js';

@Resolver()
export class DiscoveryResolver {
  @Stamped({ kind: 'journal' })
  @MaxItems(MAX_ARCHIVE_MONTHS)
  @Query(() => [ArchiveMonthType], {
    description: 'The months in which public articles were published, latest first, with the number of these.',
  })
  async articleArchive(
    @Args(() => ArchiveArgs) { memberId }: ArchiveArgs,
    @Ctx() { database }: Context,
  ): Promise<ArchiveMonth[]> {
    if (memberId == null) return database.query(ARCHIVE, []);
    const id = Number(memberId);
    // No row has an id that is not a safe integer.
    return Number.isSafeInteger(id) ? database.query(MEMBER_ARCHIVE, [id]) : [];
  }

  @Stamped({ kind: 'journal' })
  @MaxItems(MAX_RELATED)
  @Query(() => [ArticleType], {
    nullable: true,
    description:
      'Other public articles with the most tags in common; of these, the ones with the most words of the title in common, then the newest ones.',
    complexity: relatedCost,
  })
  async relatedArticles(
    @Args(() => RelatedArticlesArgs) { articleId, size }: RelatedArticlesArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ListedArticle[]> {
    const id = parseId(articleId, 'ARTICLE_NOT_FOUND');
    return relatedTo(id, size, context, info);
  }
}

@Resolver(() => ArticleType)
export class RelatedResolver {
  @DirectlyIn(...ONE_ARTICLE)
  @CoveredBy('journal')
  @MaxItems(MAX_RELATED)
  @FieldResolver(() => [ArticleType], { description: 'As the query relatedArticles.', complexity: relatedCost })
  async related(
    @Root() { id }: ListedArticle,
    @Args(() => RelatedArgs) { size }: RelatedArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ListedArticle[]> {
    return relatedTo(id, size, context, info);
  }
}

async function relatedTo(
  articleId: number,
  size: number,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<ListedArticle[]> {
  const related = { articleId, reader: readerOf(context), size };
  return requireRow(await findRelated(context.database, related, articleIncludes(info)), 'ARTICLE_NOT_FOUND');
}
