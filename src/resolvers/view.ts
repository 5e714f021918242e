/** Views of articles, and their statistics for authors. */
import ms from 'ms';
import { Arg, Args, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { ARTICLE_STATISTICS, type ArticleStatistics, type Day } from '../models/view.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedQuery, TokenIgnored } from '../schema/auth.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { ArticleStatisticsArgs, ArticleStatisticsType, DEFAULT_DAYS, MAX_DAYS } from '../schema/view.js';
import { requireOwnArticle } from '../services/auth/policy.js';
import { recordView } from '../services/views/counter.js';
import { requireArticle } from './article.js';
import { parseId, requireRow } from './row.js';

@Resolver()
export class ViewResolver {
  @IdempotencyKey('ignored: no transaction')
  @TokenIgnored()
  @Mutation(() => Boolean, {
    description:
      'Records that an article is being read; always true. Counted at the next full minute, once for each article, reader and day; not for robots, ' +
      'prefetches, and the author, who is recognized by an access token.',
  })
  recordView(
    @Arg('articleId', () => ID, { description: 'ID of an article. Any other value has no effect.' }) articleId: string,
    @Ctx() context: Context,
  ): boolean {
    recordView(context, articleId);
    return true;
  }

  @ApiTokenScopes('articles')
  @AuthorizedQuery(() => ArticleStatisticsType, {
    description: 'Views by day, and the other numbers, of one of your articles.',
  })
  async articleStatistics(
    @Args(() => ArticleStatisticsArgs) { articleId, from, to }: ArticleStatisticsArgs,
    @Ctx() context: Context,
  ): Promise<ArticleStatistics> {
    const period = periodOf(from, to, context.database.now());
    const article = await requireArticle(context, parseId(articleId, 'ARTICLE_NOT_FOUND'));
    requireOwnArticle(context)(article);
    const [row] = await context.database.query(ARTICLE_STATISTICS, [article.id, period.from, period.to]);
    return requireRow(row, 'ARTICLE_NOT_FOUND');
  }
}

const DAY_MS = ms('1d');

/** @throws AppError VALIDATION_FAILED unless it has at least one day and at most MAX_DAYS */
function periodOf(from: Day | null | undefined, to: Day | null | undefined, nowMs: number): { from: Day; to: Day } {
  const last = to ?? dayOf(nowMs);
  const first = from ?? dayOf(Math.max(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS, Date.parse('0001-01-01')));
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_DAYS) return { from: first, to: last };
  throw invalid('from', createMessage('wrongPeriod', MAX_DAYS, first, last));
}

function dayOf(milliseconds: number): Day {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
