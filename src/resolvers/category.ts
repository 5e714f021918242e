/** Categories: only their owner can list, read or change them here. */
import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { requireAuthor, viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { explainViolation } from '../database/violation.js';
import { AppError } from '../errors.js';
import {
  addCategory,
  CATEGORIES_OF_MEMBER,
  type CategoryRow,
  holdCategory,
  MAX_CATEGORIES,
  removeCategory,
} from '../models/category.js';
import { CategoryType, CreateCategoryArgs, UpdateCategoryArgs } from '../schema/category.js';
import { costOf } from '../schema/cost.js';
import { IdArgs } from '../schema/scalars.js';
import { rowId } from './row.js';

@Resolver(() => CategoryType)
export class CategoryResolver {
  @Authorized()
  @Query(() => [CategoryType], {
    description: 'Your categories: the default one first, then by name. Authentication required.',
    complexity: costOf(MAX_CATEGORIES),
  })
  async categories(@Ctx() context: Context): Promise<CategoryRow[]> {
    return context.database.query(CATEGORIES_OF_MEMBER, [viewerOf(context).memberId]);
  }

  @Authorized()
  @Query(() => CategoryType, { description: 'One of your categories. Authentication required.' })
  async category(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CategoryRow> {
    const category = await context.loaders.categoryById.load(rowId(id, 'CATEGORY_NOT_FOUND'));
    if (!category) throw new AppError('CATEGORY_NOT_FOUND');
    requireAuthor(viewerOf(context), category.memberId, 'CATEGORY_FORBIDDEN');
    return category;
  }

  @Authorized()
  @Mutation(() => CategoryType, {
    description: `Creates a category: at most ${MAX_CATEGORIES} besides the default one. Authentication required.`,
  })
  async createCategory(
    @Args(() => CreateCategoryArgs) { name }: CreateCategoryArgs,
    @Ctx() context: Context,
  ): Promise<CategoryRow> {
    const { memberId } = viewerOf(context);
    try {
      return await context.database.inTransaction((transaction) =>
        addCategory(context.database, memberId, name, transaction),
      );
    } catch (error) {
      throw explainViolation(error);
    }
  }

  @Authorized()
  @Mutation(() => CategoryType, { description: 'Renames one of your categories. Authentication required.' })
  async updateCategory(
    @Args(() => UpdateCategoryArgs) { id, name }: UpdateCategoryArgs,
    @Ctx() context: Context,
  ): Promise<CategoryRow> {
    const row = rowId(id, 'CATEGORY_NOT_FOUND');
    try {
      return await context.database.inTransaction(async (transaction) => {
        const category = await holdCategory(row, transaction, owned(context));
        await category.update({ name }, { transaction });
        return category.get();
      });
    } catch (error) {
      throw explainViolation(error);
    }
  }

  @Authorized()
  @Mutation(() => CategoryType, {
    description: 'Deletes a category and moves its articles to your default one. Authentication required.',
  })
  async deleteCategory(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<CategoryRow> {
    const row = rowId(id, 'CATEGORY_NOT_FOUND');
    return context.database.inTransaction(async (transaction) => {
      const category = await holdCategory(row, transaction, owned(context));
      await removeCategory(context.database, category, transaction);
      return category.get();
    });
  }
}

function owned(context: Context) {
  const viewer = viewerOf(context);
  return ({ memberId }: CategoryRow) => requireAuthor(viewer, memberId, 'CATEGORY_FORBIDDEN');
}
