/** Creates, renames and deletes categories: short commands that share a lock, and therefore a file. */
import type { Transaction } from 'sequelize';
import type { Viewer } from '../auth/policy.js';
import type { Database } from '../database/pool.js';
import { AppError } from '../errors.js';
import { Category, type CategoryRow, MAX_CATEGORIES, MOVE_ARTICLES } from '../models/category.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import { lockMember } from '../models/member/member.js';

type Check = (category: Category) => void;

/** @throws AppError CATEGORY_LIMIT_REACHED, CATEGORY_NAME_TAKEN, or UNAUTHENTICATED if the member has withdrawn */
export function createCategory(
  database: Database,
  { memberId, sessionId }: Viewer,
  name: string,
): Promise<CategoryRow> {
  return database.inTransaction((transaction) =>
    insertCategory(database, { memberId, accessId: sessionId }, name, transaction),
  );
}

/** The part of `createCategory` that runs in a transaction. */
export async function insertCategory(
  database: Database,
  { memberId, accessId }: { memberId: number; accessId: string | null },
  name: string,
  transaction: Transaction,
): Promise<CategoryRow> {
  await lockMember(database, memberId, accessId, transaction);
  const count = await Category.count({ where: { memberId, isDefault: false }, transaction });
  if (count >= MAX_CATEGORIES) throw new AppError('CATEGORY_LIMIT_REACHED');
  const { id } = await Category.create({ memberId, name, isDefault: false }, { transaction });
  return { id, memberId, name, isDefault: false };
}

/** @throws AppError CATEGORY_NOT_FOUND, DEFAULT_CATEGORY_FIXED, CATEGORY_NAME_TAKEN, and the errors of `check` */
export function renameCategory(database: Database, id: number, name: string, check: Check): Promise<CategoryRow> {
  return database.inTransaction(async (transaction) => {
    const category = await lockCategory(id, transaction, check);
    await category.update({ name }, { transaction });
    return category.get();
  });
}

/** Moves the articles to the member's default category. @throws AppError CATEGORY_NOT_FOUND, DEFAULT_CATEGORY_FIXED, and the errors of `check` */
export function deleteCategory(database: Database, id: number, check: Check): Promise<CategoryRow> {
  return database.inTransaction(async (transaction) => {
    const category = await lockCategory(id, transaction, check);
    await database.query(MOVE_ARTICLES, [category.id, category.memberId], transaction);
    await category.destroy({ transaction });
    return category.get();
  });
}

/** A concurrent write of an article into the category waits for the lock, and does not find the category if it was deleted. */
async function lockCategory(id: number, transaction: Transaction, check: Check): Promise<Category> {
  const category = await lockForUpdate(Category, id, 'CATEGORY_NOT_FOUND', transaction, check);
  if (category.isDefault) throw new AppError('DEFAULT_CATEGORY_FIXED');
  return category;
}
