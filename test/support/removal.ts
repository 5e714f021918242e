/** The removal of articles and comments, and their restoration, without the decision of a moderator. */
import {
  REMOVE_ARTICLE,
  REMOVE_COMMENT,
  RESTORE_ARTICLE,
  RESTORE_COMMENT,
} from '../../src/models/moderation/removal.js';
import type { TestApp } from './app.js';

type Target = 'article' | 'comment';

const STATEMENTS = {
  article: { remove: REMOVE_ARTICLE, restore: RESTORE_ARTICLE },
  comment: { remove: REMOVE_COMMENT, restore: RESTORE_COMMENT },
} as const;

/** @returns whether it was not removed before */
export async function remove({ database }: Pick<TestApp, 'database'>, target: Target, id: number): Promise<boolean> {
  return (await database.change(STATEMENTS[target].remove, [id])).length === 1;
}

/** @returns whether it was removed before */
export async function restore({ database }: Pick<TestApp, 'database'>, target: Target, id: number): Promise<boolean> {
  return (await database.change(STATEMENTS[target].restore, [id])).length === 1;
}

/** As if it had been removed so many days earlier. */
export async function ageRemovals({ database }: Pick<TestApp, 'database'>, days: number): Promise<void> {
  for (const table of ['all_articles', 'comments'])
    await database.sequelize.query(
      `update ${table} set removed_at = removed_at - ${days} * interval '1 day' where removed_at is not null`,
    );
}
