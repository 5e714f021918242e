/** Series: public reads, the viewer's own ones, and their changes. */
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import type { ListedArticle } from '../models/article/list.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import {
  DELETE_SERIES,
  findSeries,
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
import { isVisible } from '../platform/text.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { ArticleType } from '../schema/article.js';
import { ArticleList } from '../schema/article-list.js';
import { AuthorizedMutation, WhileSuspended } from '../schema/auth.js';
import { ConnectionArgs } from '../schema/connection.js';
import { SERIES_ARTICLES_COST, seriesArticlesCost } from '../schema/cost.js';
import { MemberType } from '../schema/member.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import {
  MemberSeriesArgs,
  SeriesArgs,
  SeriesInput,
  SeriesList,
  SeriesType,
  SeriesWithArticlesType,
  UpdateSeriesArgs,
} from '../schema/series.js';
import { CoveredBy } from '../schema/stamped.js';
import { InParentRow } from '../schema/statements.js';
import { requireVisible } from '../schema/validators.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { type List, readConnection } from './connection.js';
import { ownList, publicList, type Selection } from './list.js';
import { parseId, requireRow } from './row.js';
import { articleIncludes } from './selection.js';

const LAST_CHANGED_FIRST = 'the last changed one first';

export const SERIES_LISTS = [
  publicList(
    { kind: 'journal', nullable: true },
    {
      names: ['series', 'seriesArticleConnection'],
      types: { page: SeriesWithArticlesType, connection: ArticleList.connection },
      args: SeriesArgs,
      description: [
        'A series with its public articles, in numbered pages.',
        'The public articles of a series in their order, with cursor pagination. A cursor is a position in the list: if the author changes the list while you ' +
          'page, articles can be repeated or missing. If you have not received `totalCount` different ones at the end, read the list again.',
      ],
      open: (context, { id }, { info, path }) => ({
        order: `series ${id}`,
        type: SERIES_ARTICLE_ORDER.type,
        find: async (slice) => {
          const key = { id: parseId(id, 'SERIES_NOT_FOUND'), by: readerOf(context) };
          const found = await findSeries(context.database, key, slice, articleIncludes(info, path));
          const { series, articles, version } = requireRow(found, 'SERIES_NOT_FOUND');
          return { ...articles, version, fields: series };
        },
      }),
    },
  ),
  publicList(
    { kind: 'journal', nullable: true },
    {
      names: ['memberSeries', 'memberSeriesConnection'],
      types: SeriesList,
      args: MemberSeriesArgs,
      description: `The series of a member, ${LAST_CHANGED_FIRST}`,
      open: (context, { memberId }) => seriesOfMember(context, parseId(memberId, 'MEMBER_NOT_FOUND')),
    },
  ),
  ownList(['read', 'articles'], {
    names: ['mySeries', 'mySeriesConnection'],
    types: SeriesList,
    description: `Your series, ${LAST_CHANGED_FIRST}`,
    open: (context) => seriesOfMember(context, viewerOf(context).memberId),
  }),
];

@CoveredBy('journal')
@Resolver(() => SeriesType)
export class SeriesResolver {
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
  @FieldResolver(() => Int, { description: 'Number of public articles.', complexity: SERIES_ARTICLES_COST })
  articleCount(@Root() { articleCount }: SeriesRow): number {
    return articleCount;
  }

  @InParentRow()
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

  @FieldResolver(() => ArticleList.page, {
    description: 'The public articles in their order, in numbered pages.',
    complexity: seriesArticlesCost,
  })
  async articles(
    @Root() series: SeriesRow,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    return toPage(args, await articlesOf(context, series, { info, path: 'contents' }).find(pageSlice(args)));
  }

  @FieldResolver(() => ArticleList.connection, {
    description:
      'The public articles in their order, with cursor pagination. Cursors are those of seriesArticleConnection.',
    complexity: seriesArticlesCost,
  })
  async articleConnection(
    @Root() series: SeriesRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    return readConnection(articlesOf(context, series, { info, path: 'edges.node' }), args);
  }

  @FieldResolver(() => MemberType, { description: 'The author.' })
  async author(@Root() { memberId }: SeriesRow, @Ctx() { loaders }: Context): Promise<MemberRow> {
    return requireRow(await loaders.byId(MEMBERS_BY_ID).load(memberId), 'MEMBER_NOT_FOUND');
  }
}

@CoveredBy('journal')
@Resolver(() => ArticleType)
export class ArticleSeriesResolver {
  @FieldResolver(() => SeriesType, {
    nullable: true,
    description: 'The series that contains the article; null if it is in none.',
  })
  async series(@Root() { seriesId }: ListedArticle, @Ctx() { loaders }: Context): Promise<SeriesRow | null> {
    return seriesId === null ? null : loaders.byId(SERIES_BY_ID).load(seriesId);
  }
}

@CoveredBy('journal')
@Resolver(() => MemberType)
export class MemberSeriesResolver {
  @FieldResolver(() => SeriesList.page, {
    description: `The series of the member, ${LAST_CHANGED_FIRST}, in numbered pages.`,
  })
  async series(@Root() { id }: MemberRow, @Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    return toPage(args, await seriesOfMember(context, id).find(pageSlice(args)));
  }
}

function articlesOf({ loaders }: Context, { id }: SeriesRow, { info, path }: Selection): List<ListedArticle> {
  const includes = articleIncludes(info, path);
  const find = (slice: Slice) => loaders.articlesOfSeries(slice, includes).load(id);
  return { order: `series ${id}`, type: SERIES_ARTICLE_ORDER.type, find };
}

function seriesOfMember(context: Context, memberId: number): List<SeriesRow> {
  return {
    order: 'series',
    type: SERIES_ORDER.type,
    find: async (slice) => {
      const found = await context.loaders.seriesOfMember(slice, readerOf(context)).load(memberId);
      return requireRow(found, 'MEMBER_NOT_FOUND');
    },
  };
}

/** @param id null for a new one */
async function saveSeries(
  context: Context,
  id: number | null,
  { title, description, articleIds }: SeriesInput,
): Promise<SeriesRow> {
  const stored = id === null || isVisible(title) ? [] : await context.database.query(SERIES_BY_ID, [[id]]);
  requireVisible({ title }, stored[0] ?? { title: [] });
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
