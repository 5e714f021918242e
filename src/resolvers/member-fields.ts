/** The public profile of a member, and its field resolvers. */
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { ARTICLE_ORDERS } from '../models/article/order.js';
import { CATEGORIES_OF_MEMBERS, type CategoryRow, MAX_CATEGORIES } from '../models/category.js';
import { MEMBER_BY_NICKNAME, MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import type { Slice } from '../platform/database/keyset.js';
import { AppError } from '../platform/errors.js';
import { ArticleList, MemberArticlesArgs } from '../schema/article-list.js';
import { CategoryType } from '../schema/category.js';
import { MemberByNicknameArgs, MemberType } from '../schema/member.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { CoveredBy, Stamped } from '../schema/stamped.js';
import { InParentRow } from '../schema/statements.js';
import { readConnection } from './connection.js';
import { parseId, requireRow } from './row.js';
import { articleIncludes } from './selection.js';

@Resolver(() => MemberType)
export class MemberFieldResolver {
  @Stamped({ kind: 'names' }, { kind: 'profile', id: 'id' }, { kind: 'journal' })
  @Query(() => MemberType, { nullable: true, description: 'The public profile of a member.' })
  async member(@Args(() => IdArgs) { id }: IdArgs, @Ctx() { loaders }: Context): Promise<MemberRow> {
    const member = requireRow(
      await loaders.byId(MEMBERS_BY_ID).load(parseId(id, 'MEMBER_NOT_FOUND')),
      'MEMBER_NOT_FOUND',
    );
    if (member.isPending) throw new AppError('MEMBER_NOT_FOUND');
    return member;
  }

  @Stamped({ kind: 'nickname', id: 'nickname' })
  @Query(() => MemberType, { nullable: true, description: 'The public profile of the member with a nickname.' })
  async memberByNickname(
    @Args(() => MemberByNicknameArgs) { nickname }: MemberByNicknameArgs,
    @Ctx() { database }: Context,
  ): Promise<MemberRow> {
    const [member] = await database.query(MEMBER_BY_NICKNAME, [nickname]);
    return requireRow(member, 'MEMBER_NOT_FOUND');
  }

  @InParentRow()
  @CoveredBy('profile', 'nickname')
  @FieldResolver(() => Int, { description: 'Number of public articles of the member.' })
  articleCount(@Root() { articleCount }: MemberRow): number {
    return articleCount;
  }

  @InParentRow()
  @CoveredBy('profile', 'nickname')
  @FieldResolver(() => Int, { description: 'Number of members who follow the member.' })
  followerCount(@Root() { followerCount }: MemberRow): number {
    return followerCount;
  }

  @CoveredBy('journal')
  // With the default category.
  @MaxItems(MAX_CATEGORIES + 1)
  @FieldResolver(() => [CategoryType], {
    description: 'The categories of the member: the default one first, then by name.',
  })
  categories(@Root() member: MemberRow, @Ctx() { loaders }: Context): Promise<CategoryRow[]> {
    return loaders.ofMember(CATEGORIES_OF_MEMBERS).load(member.id);
  }

  @CoveredBy('journal')
  @FieldResolver(() => ArticleList.connection, { description: 'The articles of the member.' })
  async articles(
    @Root() member: MemberRow,
    @Args(() => MemberArticlesArgs) args: MemberArticlesArgs,
    @Ctx() { loaders }: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const order = args.sort;
    const includes = articleIncludes(info, 'edges.node');
    const find = (slice: Slice) => loaders.articlesOfMember({ order, slice, includes }).load(member.id);
    return readConnection({ order, type: ARTICLE_ORDERS[order].type, find }, args);
  }
}
