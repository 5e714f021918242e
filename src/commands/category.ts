/** Creates, renames and deletes categories: short commands that share a lock, and therefore a file. */
import type { Transaction } from 'sequelize';
import {
  CATEGORIES,
  type Category,
  type CategoryRow,
  COUNT_CATEGORIES,
  MAX_CATEGORIES,
  MOVE_ARTICLES,
} from '../models/category.js';
import { lockMember } from '../models/member/member.js';
import type { Check, Guard } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import type { Viewer } from '../services/auth/policy.js';

/** @throws AppError CATEGORY_LIMIT_REACHED, CATEGORY_NAME_TAKEN, or UNAUTHENTICATED if the member has withdrawn */
export function createCategory(
  database: Database,
  { memberId, credentialId }: Viewer,
  name: string,
): Promise<CategoryRow> {
  return database.inTransaction((transaction) =>
    insertCategory(database, { memberId, credentialId }, name, transaction),
  );
}

/** The part of `createCategory` that runs in a transaction. */
export async function insertCategory(
  database: Database,
  { memberId, credentialId }: { memberId: number; credentialId: string | null },
  name: string,
  transaction: Transaction,
): Promise<CategoryRow> {
  await lockMember(database, memberId, credentialId, transaction);
  const [counted] = await database.query(COUNT_CATEGORIES, [memberId], transaction);
  if ((counted?.count ?? 0) >= MAX_CATEGORIES) {
    throw new AppError('CATEGORY_LIMIT_REACHED', { message: createMessage('categoryLimitReached', MAX_CATEGORIES) });
  }
  return CATEGORIES.insert(database, { memberId, name, isDefault: false }, transaction);
}

/** @throws AppError CATEGORY_NOT_FOUND, DEFAULT_CATEGORY_FIXED, CATEGORY_NAME_TAKEN, and the errors of the guard */
export function renameCategory(
  database: Database,
  id: number,
  name: string,
  guard: Guard<Category>,
): Promise<CategoryRow> {
  return database.inTransaction(async (transaction) => {
    const category = await lockCategory(database, id, transaction, guard);
    return CATEGORIES.update(database, category, { name }, transaction);
  });
}

/** Moves the articles to the member's default category. @throws AppError CATEGORY_NOT_FOUND, DEFAULT_CATEGORY_FIXED, and the errors of `check` */
export function deleteCategory(database: Database, id: number, check: Check<Category>): Promise<CategoryRow> {
  return database.inTransaction(async (transaction) => {
    const category = await lockCategory(database, id, transaction, { credentialId: null, check });
    await database.query(MOVE_ARTICLES, [category.id, category.memberId], transaction);
    await CATEGORIES.delete(database, id, transaction);
    return category;
  });
}

/** A concurrent write of an article into the category waits for the lock, and does not find the category if it was deleted. */
async function lockCategory(
  database: Database,
  id: number,
  transaction: Transaction,
  { credentialId, check }: { credentialId: string | null; check: Check<Category> },
): Promise<CategoryRow> {
  const category = await CATEGORIES.lock(database, id, transaction, check, credentialId);
  if (category.isDefault) throw new AppError('DEFAULT_CATEGORY_FIXED');
  return category;
}
