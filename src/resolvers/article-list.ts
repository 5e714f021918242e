/** Lists of articles, public and the viewer's own, and of their tags. */
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { filtersOf } from '../models/article/filters.js';
import {
  type ArticleScope,
  type FoundArticlePage,
  findArticlePage,
  findArticles,
  isIndexed,
  type ListedArticle,
} from '../models/article/list.js';
import {
  ARTICLE_ORDERS,
  type ArticleOrder,
  type ArticlePeriod,
  DEFAULT_ARTICLE_ORDER,
  isByCount,
  orderName,
} from '../models/article/order.js';
import { findArticlesByKeyword, type KeywordRequest } from '../models/article/search.js';
import { COUNT_MEMBER_TAGS, COUNT_TAGS, MEMBER_TAG_PAGE, normalizeTag, TAG_PAGE } from '../models/tag.js';
import type { Slice } from '../platform/database/keyset.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import {
  type ArticleFilter,
  ArticleList,
  ArticlesArgs,
  type OwnArticleFilter,
  OwnArticlesArgs,
  TagPage,
  TagsArgs,
} from '../schema/article-list.js';
import { pageSlice, toPage } from '../schema/page.js';
import { Stamped } from '../schema/stamped.js';
import { viewerOf } from '../services/auth/policy.js';
import { clientTask } from '../services/limits/client-task.js';
import { searchWords, toSnippet } from '../services/rendering/snippet.js';
import type { Found, List } from './connection.js';
import { ownList, publicList, type Selection } from './list.js';
import { articleIncludes } from './selection.js';

export const ARTICLE_LISTS = [
  publicList(
    { kind: 'journal', nullable: false },
    {
      names: ['articles', 'articleConnection'],
      types: ArticleList,
      args: ArticlesArgs,
      description: [
        'Public articles, in numbered pages (offset pagination).',
        'Public articles, with cursor pagination.',
      ],
      open: (context, args, selection) => openArticles(context, scopeOf(args.filter), args, selection),
    },
  ),
  ownList(['read', 'articles'], {
    names: ['myArticles', 'myArticleConnection'],
    types: ArticleList,
    args: OwnArticlesArgs,
    description: 'Your articles, public and private',
    open: (context, args, selection) => openArticles(context, ownScope(context, args.filter), args, selection),
  }),
];

@Resolver()
export class TagResolver {
  @Stamped({ kind: 'journal' })
  @Query(() => TagPage, { description: 'The tags of all public articles, or of those of one member, most used first.' })
  async tags(@Args(() => TagsArgs) args: TagsArgs, @Ctx() { database }: Context) {
    const { limit, offset } = pageSlice(args);
    const slice: [number, number] = [limit, offset];
    const member = args.memberId == null ? null : Number(args.memberId);
    // No row has an id that is not a safe integer.
    if (member !== null && !Number.isSafeInteger(member)) return toPage(args, NOTHING);
    const contents =
      member === null
        ? await database.query(TAG_PAGE, slice)
        : await database.query(MEMBER_TAG_PAGE, [member, ...slice]);
    const [count] = contents.length > 0 ? contents : await countTags(database, member);
    return toPage(args, { contents, total: count?.total ?? 0 });
  }
}

const NOTHING = { contents: [], positions: [], total: 0 };

function countTags(database: Context['database'], memberId: number | null): Promise<{ total: number }[]> {
  return memberId === null ? database.query(COUNT_TAGS, []) : database.query(COUNT_MEMBER_TAGS, [memberId]);
}

/** Null if an id is not a safe integer, and therefore beyond the range of any row. */
function scopeOf(filter: Omit<ArticleFilter, 'keyword'> | null | undefined): ArticleScope | null {
  const { tag, categoryId, memberId, ...others } = filter ?? {};
  const ids = [memberId, categoryId].map((id) => (id == null ? undefined : Number(id)));
  if (ids.some((id) => id !== undefined && !Number.isSafeInteger(id))) return null;
  const indexed = { memberId: ids[0], categoryId: ids[1], tag: tag == null ? undefined : normalizeTag(tag) };
  return { ...indexed, ...filtersOf(others) };
}

function ownScope(context: Context, filter: OwnArticleFilter | null | undefined): ArticleScope | null {
  const { visibility, ...others } = filter ?? {};
  const scope = scopeOf(others);
  const isPrivate = visibility == null ? undefined : visibility === 'PRIVATE';
  return scope && { ...scope, ownerId: viewerOf(context).memberId, isPrivate };
}

/** @throws AppError VALIDATION_FAILED for a period with an order that counts nothing */
function inPeriod(
  scope: ArticleScope | null,
  order: ArticleOrder | null | undefined,
  period: ArticlePeriod | null | undefined,
): ArticleScope | null {
  if (period != null && !isByCount(order)) throw invalid('period', createMessage('periodWithoutCount'));
  return scope && { ...scope, period: period ?? undefined };
}

/** @throws AppError VALIDATION_FAILED */
function openArticles(
  context: Context,
  unlimited: ArticleScope | null,
  args: { sort?: ArticleOrder | null; period?: ArticlePeriod | null; filter?: { keyword?: string | null } | null },
  { info, path }: Selection,
): List<ListedArticle> {
  const { database } = context;
  const scope = inPeriod(unlimited, args.sort, args.period);
  const order = args.sort ?? DEFAULT_ARTICLE_ORDER;
  const includes = articleIncludes(info, path);
  const keyword = args.filter?.keyword;
  const find = async (slice: Slice): Promise<Found<ListedArticle>> => {
    if (!scope) return NOTHING;
    if (keyword) return searchArticles(context, { keyword, scope, order: args.sort ?? null, slice, includes });
    const request = { scope, order, slice, includes };
    return runQueuedIfUnindexed(context, scope, order, () =>
      path === 'contents' ? findArticlePage(database, request) : findArticles(database, request),
    );
  };
  return { order: orderName(order, scope?.period), type: ARTICLE_ORDERS[order].type, find };
}

/** A list without a matching index reads as many rows as a search, and shares the concurrency limit of searches. */
function runQueuedIfUnindexed<Found>(
  context: Context,
  scope: ArticleScope,
  order: ArticleOrder,
  find: () => Promise<Found>,
) {
  return isIndexed(scope, order) ? find() : runSearch(context, find);
}

async function searchArticles(context: Context, request: KeywordRequest): Promise<FoundArticlePage> {
  const found = await runSearch(context, () => findArticlesByKeyword(context.database, request));
  if (!request.includes.snippet) return found;
  const words = searchWords(request.keyword);
  const contents = found.contents.map((article) => ({
    ...article,
    snippet: article.snippet && toSnippet(article.snippet, words),
  }));
  return { ...found, contents };
}

/** The statements of a snapshot run one after another: all searches of the request share one permit, for which no connection waits. */
export async function runSearch<Found>(context: Context, find: () => Promise<Found>): Promise<Found> {
  const { limits, budget, database } = context;
  const task = clientTask(context);
  if (!database.snapshot) return limits.searches.run(task, find);
  budget.search ??= database.snapshot.beginAfter(
    Promise.resolve(limits.searches.acquire(task)).then((release) => void budget.permits.push(release)),
  );
  await budget.search;
  return find();
}
