/** Creates, renames and deletes categories: short commands that share a lock, and therefore a file. */
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
import type { Database, Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import type { Viewer } from '../services/auth/policy.js';

/** @throws AppError CATEGORY_LIMIT_REACHED, CATEGORY_NAME_TAKEN, or UNAUTHENTICATED if the member has withdrawn */
export function createCategory(
  database: Database,
  { memberId, credentialId }: Viewer,
  name: string,
): Promise<CategoryRow> {
  return database.transaction((db) => insertCategory(db, { memberId, credentialId }, name));
}

/** The part of `createCategory` that runs in a transaction. */
export async function insertCategory(
  db: Transaction,
  { memberId, credentialId }: { memberId: number; credentialId: string | null },
  name: string,
): Promise<CategoryRow> {
  await lockMember(db, memberId, credentialId);
  const [counted] = await db.query(COUNT_CATEGORIES, [memberId]);
  if ((counted?.count ?? 0) >= MAX_CATEGORIES) {
    throw new AppError('CATEGORY_LIMIT_REACHED', { message: createMessage('categoryLimitReached', MAX_CATEGORIES) });
  }
  return CATEGORIES.insert(db, { memberId, name, isDefault: false });
}

/** @throws AppError CATEGORY_NOT_FOUND, DEFAULT_CATEGORY_FIXED, CATEGORY_NAME_TAKEN, and the errors of the guard */
export function renameCategory(
  database: Database,
  id: number,
  name: string,
  guard: Guard<Category>,
): Promise<CategoryRow> {
  return database.transaction(async (db) => {
    const category = await lockCategory(db, id, guard);
    return CATEGORIES.update(db, category, { name });
  });
}

/** Moves the articles to the member's default category. @throws AppError CATEGORY_NOT_FOUND, DEFAULT_CATEGORY_FIXED, and the errors of `check` */
export function deleteCategory(database: Database, id: number, check: Check<Category>): Promise<CategoryRow> {
  return database.transaction(async (db) => {
    const category = await lockCategory(db, id, { credentialId: null, check });
    await db.query(MOVE_ARTICLES, [category.id, category.memberId]);
    await CATEGORIES.delete(db, id);
    return category;
  });
}

/** A concurrent write of an article into the category waits for the lock, and does not find the category if it was deleted. */
async function lockCategory(
  db: Transaction,
  id: number,
  { credentialId, check }: { credentialId: string | null; check: Check<Category> },
): Promise<CategoryRow> {
  const category = await CATEGORIES.lock(db, id, check, credentialId);
  if (category.isDefault) throw new AppError('DEFAULT_CATEGORY_FIXED');
  return category;
}
