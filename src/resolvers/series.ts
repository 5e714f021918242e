/** Series: public reads, the viewer's own ones, and their changes. */
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import type { ListedArticle } from '../models/article/list.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import {
  DELETE_SERIES,
  type FoundSeries,
  type FoundSeriesList,
  findSeries,
  findSeriesOfMember,
  MAX_SERIES,
  MAX_SERIES_ARTICLES,
  SAVE_SERIES,
  type SavedSeries,
  SERIES_ARTICLE_ORDER,
  SERIES_BY_ID,
  SERIES_ORDER,
  type SeriesRow,
} from '../models/series.js';
import type { Slice } from '../platform/database/keyset.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { ArticleConnection } from '../schema/article-list.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { ConnectionArgs } from '../schema/connection.js';
import { SERIES_ARTICLES_COST } from '../schema/cost.js';
import { MemberType } from '../schema/member.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import {
  MemberSeriesArgs,
  MemberSeriesConnectionArgs,
  SeriesArgs,
  SeriesArticlesArgs,
  SeriesConnection,
  SeriesInput,
  SeriesPage,
  SeriesType,
  SeriesWithArticlesType,
  UpdateSeriesArgs,
} from '../schema/series.js';
import { CoveredBy, Stamped } from '../schema/stamped.js';
import { InParentRow } from '../schema/statements.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { connectionSlice, toConnection } from './connection.js';
import { parseId, requireRow } from './row.js';
import { articleIncludes } from './selection.js';

@Resolver(() => SeriesType)
export class SeriesResolver {
  @Stamped({ kind: 'journal', isInQuery: true })
  @Query(() => SeriesWithArticlesType, {
    nullable: true,
    description: 'A series with its public articles, in numbered pages.',
  })
  async series(@Args(() => SeriesArgs) args: SeriesArgs, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    const { series, articles, version } = await requireSeries(context, args.id, pageSlice(args), info, 'contents');
    context.responseMeta.version = version;
    return { ...series, ...toPage(args, articles) };
  }

  @Stamped({ kind: 'journal' })
  @Query(() => ArticleConnection, {
    nullable: true,
    description:
      'The public articles of a series in their order, with cursor pagination. A cursor is a position in the list: if the author changes the list while you ' +
      'page, articles can be repeated or missing. If you have not received `totalCount` different ones at the end, read the list again.',
  })
  async seriesArticleConnection(
    @Args(() => SeriesArticlesArgs) args: SeriesArticlesArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const order = `series ${args.id}`;
    const slice = connectionSlice(args, order, SERIES_ARTICLE_ORDER.type);
    const { articles } = await requireSeries(context, args.id, slice, info, 'edges.node');
    return toConnection(articles, args, order);
  }

  @Stamped({ kind: 'journal', isInQuery: true })
  @Query(() => SeriesPage, {
    nullable: true,
    description: 'The series of a member, the last changed one first, in numbered pages.',
  })
  async memberSeries(@Args(() => MemberSeriesArgs) args: MemberSeriesArgs, @Ctx() context: Context) {
    const found = await seriesOfMember(context, parseId(args.memberId, 'MEMBER_NOT_FOUND'), pageSlice(args));
    context.responseMeta.version = found.version;
    return toPage(args, found);
  }

  @Stamped({ kind: 'journal' })
  @Query(() => SeriesConnection, {
    nullable: true,
    description: 'The series of a member, the last changed one first, with cursor pagination.',
  })
  async memberSeriesConnection(
    @Args(() => MemberSeriesConnectionArgs) args: MemberSeriesConnectionArgs,
    @Ctx() context: Context,
  ) {
    return connectionOf(context, parseId(args.memberId, 'MEMBER_NOT_FOUND'), args);
  }

  @ApiTokenScopes('read', 'articles')
  @AuthorizedQuery(() => SeriesPage, { description: 'Your series, the last changed one first, in numbered pages.' })
  async mySeries(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return toPage(args, await seriesOfMember(context, viewerOf(context).memberId, pageSlice(args)));
  }

  @ApiTokenScopes('read', 'articles')
  @AuthorizedQuery(() => SeriesConnection, {
    description: 'Your series, the last changed one first, with cursor pagination.',
  })
  async mySeriesConnection(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context) {
    return connectionOf(context, viewerOf(context).memberId, args);
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => SeriesType, { description: `Creates a series: at most ${MAX_SERIES} of a member.` })
  async createSeries(
    @Arg('input', () => SeriesInput, { description: 'The new series.' }) input: SeriesInput,
    @Ctx() context: Context,
  ): Promise<SeriesRow> {
    return saveSeries(context, null, input);
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => SeriesType, {
    description: 'Changes one of your series. Omitted fields keep their values, except the title, which is required.',
  })
  async updateSeries(
    @Args(() => UpdateSeriesArgs) { id, input }: UpdateSeriesArgs,
    @Ctx() context: Context,
  ): Promise<SeriesRow> {
    return saveSeries(context, parseId(id, 'SERIES_NOT_FOUND'), input);
  }

  @WhileSuspended()
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => SeriesType, { description: 'Deletes one of your series; its articles stay.' })
  async deleteSeries(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<SeriesRow> {
    const values = [viewerOf(context).memberId, parseId(id, 'SERIES_NOT_FOUND')] as const;
    const [row] = await context.database.change(DELETE_SERIES, [...values]);
    return requireSaved(row?.saved);
  }

  @InParentRow()
  @CoveredBy('journal')
  @FieldResolver(() => Int, { description: 'Number of public articles.', complexity: SERIES_ARTICLES_COST })
  articleCount(@Root() { articleCount }: SeriesRow): number {
    return articleCount;
  }

  @InParentRow()
  @CoveredBy('journal')
  @MaxItems(MAX_SERIES_ARTICLES)
  @FieldResolver(() => [ID], {
    nullable: true,
    description:
      'Of your own series: the IDs of all articles in their order, with the private ones. Null for everyone else, and in Article.series.',
    complexity: SERIES_ARTICLES_COST,
  })
  articleIds(@Root() { articleIds }: SeriesRow): number[] | null {
    return articleIds;
  }

  @CoveredBy('journal')
  @FieldResolver(() => MemberType, { description: 'The author.' })
  async author(@Root() { memberId }: SeriesRow, @Ctx() { loaders }: Context): Promise<MemberRow> {
    return requireRow(await loaders.byId(MEMBERS_BY_ID).load(memberId), 'MEMBER_NOT_FOUND');
  }
}

@Resolver(() => ArticleType)
export class ArticleSeriesResolver {
  @CoveredBy('journal')
  @FieldResolver(() => SeriesType, {
    nullable: true,
    description: 'The series that contains the article; null if it is in none.',
  })
  async series(@Root() { seriesId }: ListedArticle, @Ctx() { loaders }: Context): Promise<SeriesRow | null> {
    return seriesId === null ? null : loaders.byId(SERIES_BY_ID).load(seriesId);
  }
}

/** @param path from the field to the articles @throws AppError SERIES_NOT_FOUND */
async function requireSeries(
  context: Context,
  id: string,
  slice: Slice,
  info: GraphQLResolveInfo,
  path: string,
): Promise<FoundSeries> {
  const key = { id: parseId(id, 'SERIES_NOT_FOUND'), by: readerOf(context) };
  return requireRow(await findSeries(context.database, key, slice, articleIncludes(info, path)), 'SERIES_NOT_FOUND');
}

/** @throws AppError MEMBER_NOT_FOUND */
async function seriesOfMember(context: Context, memberId: number, slice: Slice): Promise<FoundSeriesList> {
  const key = { memberId, by: readerOf(context) };
  return requireRow(await findSeriesOfMember(context.database, key, slice), 'MEMBER_NOT_FOUND');
}

async function connectionOf(context: Context, memberId: number, args: ConnectionArgs) {
  const slice = connectionSlice(args, 'series', SERIES_ORDER.type);
  return toConnection(await seriesOfMember(context, memberId, slice), args, 'series');
}

/** @param id null for a new one */
async function saveSeries(
  context: Context,
  id: number | null,
  { title, description, articleIds }: SeriesInput,
): Promise<SeriesRow> {
  const listed = articleIds?.map((one) => parseId(one, 'ARTICLE_NOT_FOUND')) ?? null;
  const values = [viewerOf(context).memberId, id, title, description ?? null, listed] as const;
  const [row] = await context.database.change(SAVE_SERIES, [...values]);
  return requireSaved(row?.saved);
}

/** @throws AppError */
function requireSaved(saved: SavedSeries | undefined): SeriesRow {
  const found = requireRow(saved, 'SERIES_NOT_FOUND');
  if (!('failure' in found)) return found;
  const { failure, missing } = found;
  throw new AppError(failure, missing ? { message: createMessage('noOwnArticle', String(missing)) } : {});
}
