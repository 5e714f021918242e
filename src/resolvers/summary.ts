/** Summaries of articles: status, and new requests. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { requestSummary } from '../commands/request-summary.js';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article/article.js';
import type { ListedArticle } from '../models/article/list.js';
import { type AnalyzeStatus, SUMMARIES_BY_ARTICLE } from '../models/summary.js';
import type { Database } from '../platform/database/pool.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AnalyzeStatusEnum, ArticleType, OwnArticleArgs } from '../schema/article.js';
import { AuthorizedMutation } from '../schema/auth.js';
import { CoveredBy } from '../schema/stamped.js';
import { readerOf, requireOwnArticle, viewerOf } from '../services/auth/policy.js';
import { reloadArticle } from './reload-article.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class SummaryResolver {
  @ApiTokenScopes('ai')
  @AuthorizedMutation(() => ArticleType, {
    description:
      'Requests a new summary of your article; no effect while one is in progress. ' +
      'The same text is not sent to the provider twice.',
  })
  async requestSummary(
    @Args(() => OwnArticleArgs) { articleId }: OwnArticleArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow> {
    const { loaders } = context;
    const articles = loaders.byId(ARTICLES_BY_ID, readerOf(context));
    const id = parseId(articleId, 'ARTICLE_NOT_FOUND');
    requireOwnArticle(context)(requireRow(await articles.load(id), 'ARTICLE_NOT_FOUND'));
    const status = (await loaders.byId(SUMMARIES_BY_ARTICLE).load(id))?.status;
    const read = (db: Database) => reloadArticle(db, context, id, info);
    if (status === 'PENDING' || status === 'PROCESSING') return read(context.database);
    const guard = { credentialId: viewerOf(context).credentialId, check: requireOwnArticle(context) };
    return requestSummary(context, id, guard, read);
  }
}

@CoveredBy('summary')
@Resolver(() => ArticleType)
export class SummaryFieldResolver {
  @FieldResolver(() => AnalyzeStatusEnum, { description: 'Status of the summary.' })
  async summaryStatus(@Root() { id, aiSummary }: ListedArticle, @Ctx() { loaders }: Context): Promise<AnalyzeStatus> {
    const status = (await loaders.byId(SUMMARIES_BY_ARTICLE).load(id))?.status ?? 'FAILED';
    // The summary was completed after the article was read: PROCESSING makes a polling client request it again.
    return status === 'COMPLETED' && aiSummary === null ? 'PROCESSING' : status;
  }

  @FieldResolver(() => [String], {
    description:
      'Tags generated with the summary: at most 5, of at most 10 characters each. ' +
      'They are not chosen by the author and not used in searches.',
  })
  async aiTags(@Root() { id }: ListedArticle, @Ctx() { loaders }: Context): Promise<string[]> {
    return (await loaders.byId(SUMMARIES_BY_ARTICLE).load(id))?.tags ?? [];
  }
}
