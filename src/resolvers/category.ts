/** Categories: only their owner can read or change them here; `Member.categories` is public. */
import { Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { createCategory, deleteCategory, renameCategory } from '../commands/category.js';
import type { Context } from '../context.js';
import {
  CATEGORIES_BY_ID,
  CATEGORIES_OF_MEMBERS,
  type CategoryRow,
  COUNTS_BY_CATEGORY,
  MAX_CATEGORIES,
} from '../models/category.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { WhileSuspended } from '../schema/auth.js';
import { CategoryType, CreateCategoryArgs, UpdateCategoryArgs } from '../schema/category.js';
import { CATEGORY_COUNT_COST, lengthCost } from '../schema/cost.js';
import { IdempotencyKey } from '../schema/idempotency.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { CoveredBy } from '../schema/stamped.js';
import { articleReaderOf, requireAuthor, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver(() => CategoryType)
export class CategoryResolver {
  @Authorized()
  @ApiTokenScopes('read', 'articles')
  // With the default category.
  @MaxItems(MAX_CATEGORIES + 1)
  @Query(() => [CategoryType], {
    nullable: true,
    description: 'Your categories: the default one first, then by name. Authentication required.',
    complexity: lengthCost(MAX_CATEGORIES),
  })
  async categories(@Ctx() context: Context): Promise<CategoryRow[]> {
    return context.loaders.ofMember(CATEGORIES_OF_MEMBERS).load(viewerOf(context).memberId);
  }

  @Authorized()
  @ApiTokenScopes('read', 'articles')
  @Query(() => CategoryType, { nullable: true, description: 'One of your categories. Authentication required.' })
  async category(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CategoryRow> {
    const found = await context.loaders.byId(CATEGORIES_BY_ID).load(parseId(id, 'CATEGORY_NOT_FOUND'));
    const category = requireRow(found, 'CATEGORY_NOT_FOUND');
    requireAuthor(viewerOf(context), category.memberId, 'CATEGORY_FORBIDDEN');
    return category;
  }

  @Authorized()
  @IdempotencyKey('applies')
  @ApiTokenScopes('articles')
  @Mutation(() => CategoryType, {
    description: `Creates a category: at most ${MAX_CATEGORIES} besides the default one. Authentication required.`,
  })
  async createCategory(
    @Args(() => CreateCategoryArgs) { name }: CreateCategoryArgs,
    @Ctx() context: Context,
  ): Promise<CategoryRow> {
    return createCategory(context.database, viewerOf(context), name);
  }

  @Authorized()
  @IdempotencyKey('applies')
  @ApiTokenScopes('articles')
  @Mutation(() => CategoryType, { description: 'Renames one of your categories. Authentication required.' })
  async updateCategory(
    @Args(() => UpdateCategoryArgs) { id, name }: UpdateCategoryArgs,
    @Ctx() context: Context,
  ): Promise<CategoryRow> {
    const guard = { accessId: viewerOf(context).sessionId, check: requireOwn(context) };
    return renameCategory(context.database, parseId(id, 'CATEGORY_NOT_FOUND'), name, guard);
  }

  @Authorized()
  @WhileSuspended()
  @IdempotencyKey('applies')
  @ApiTokenScopes('articles')
  @Mutation(() => CategoryType, {
    description: 'Deletes a category and moves its articles to your default one. Authentication required.',
  })
  async deleteCategory(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CategoryRow> {
    return deleteCategory(context.database, parseId(id, 'CATEGORY_NOT_FOUND'), requireOwn(context));
  }

  @CoveredBy('journal')
  @FieldResolver(() => Int, {
    description: 'Number of articles in the category; in your own ones, with the private ones.',
    complexity: CATEGORY_COUNT_COST,
  })
  async articleCount(@Root() { id }: CategoryRow, @Ctx() context: Context): Promise<number> {
    return (await context.loaders.byId(COUNTS_BY_CATEGORY, articleReaderOf(context)).load(id))?.articles ?? 0;
  }
}

function requireOwn(context: Context) {
  const viewer = viewerOf(context);
  return ({ memberId }: CategoryRow) => requireAuthor(viewer, memberId, 'CATEGORY_FORBIDDEN');
}
