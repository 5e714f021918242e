/** Categories: only their owner can read or change them here; `Member.categories` is public. */
import { Args, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
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
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { CategoryType, CreateCategoryArgs, UpdateCategoryArgs } from '../schema/category.js';
import { CATEGORY_COUNT_COST } from '../schema/cost.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { CoveredBy } from '../schema/stamped.js';
import { readerOf, requireAuthor, viewerOf } from '../services/auth/policy.js';
import { parseId, requireRow } from './row.js';

@Resolver(() => CategoryType)
export class CategoryResolver {
  @ApiTokenScopes('read', 'articles')
  // With the default category.
  @MaxItems(MAX_CATEGORIES + 1)
  @AuthorizedQuery(() => [CategoryType], { description: 'Your categories: the default one first, then by name.' })
  async categories(@Ctx() context: Context): Promise<CategoryRow[]> {
    return context.loaders.ofMember(CATEGORIES_OF_MEMBERS).load(viewerOf(context).memberId);
  }

  @ApiTokenScopes('read', 'articles')
  @AuthorizedQuery(() => CategoryType, { description: 'One of your categories.' })
  async category(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CategoryRow> {
    const found = await context.loaders.byId(CATEGORIES_BY_ID).load(parseId(id, 'CATEGORY_NOT_FOUND'));
    const category = requireRow(found, 'CATEGORY_NOT_FOUND');
    requireAuthor(viewerOf(context), category.memberId, 'CATEGORY_FORBIDDEN');
    return category;
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => CategoryType, {
    description: `Creates a category: at most ${MAX_CATEGORIES} besides the default one.`,
  })
  async createCategory(
    @Args(() => CreateCategoryArgs) { name }: CreateCategoryArgs,
    @Ctx() context: Context,
  ): Promise<CategoryRow> {
    return createCategory(context.database, viewerOf(context), name);
  }

  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => CategoryType, { description: 'Renames one of your categories.' })
  async updateCategory(
    @Args(() => UpdateCategoryArgs) { id, name }: UpdateCategoryArgs,
    @Ctx() context: Context,
  ): Promise<CategoryRow> {
    const guard = { credentialId: viewerOf(context).credentialId, check: requireOwn(context) };
    return renameCategory(context.database, parseId(id, 'CATEGORY_NOT_FOUND'), name, guard);
  }

  @WhileSuspended()
  @ApiTokenScopes('articles')
  @AuthorizedMutation(() => CategoryType, {
    description: 'Deletes a category and moves its articles to your default one.',
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
    return (await context.loaders.byId(COUNTS_BY_CATEGORY, readerOf(context)).load(id))?.articles ?? 0;
  }
}

function requireOwn(context: Context) {
  const viewer = viewerOf(context);
  return ({ memberId }: CategoryRow) => requireAuthor(viewer, memberId, 'CATEGORY_FORBIDDEN');
}
