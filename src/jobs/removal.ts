/** Deletes what moderators have removed, when it can no longer be restored. */
import { deleteArticle } from '../commands/change-article.js';
import { deleteComment } from '../commands/comment.js';
import { type DueRemoval, REMOVED_ARTICLES, REMOVED_COMMENTS, REMOVED_MS } from '../models/moderation/removal.js';
import { ANONYMOUS } from '../models/reader.js';
import { describeError, isDisconnected } from '../platform/database/mask-error.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import type { Services } from '../services/index.js';
import type { JobRun } from './job.js';

/** It was restored, and perhaps removed again, or its removal was appealed, after it was found. */
class NoLongerDue extends Error {}

/** Each is deleted in transactions of its own. One that cannot be deleted at the moment does not delay the others; the next run tries again. */
export async function deleteRemoved(_payload: unknown, services: Services, { signal }: JobRun): Promise<void> {
  const { database } = services;
  await deleteDue(REMOVED_COMMENTS, services, signal, ({ id }, check) =>
    deleteComment(database, id, { reader: ANONYMOUS, credentialId: null, check }),
  );
  await deleteDue(REMOVED_ARTICLES, services, signal, ({ id }, check) => deleteArticle(database, { id, check }));
}

type Check = (row: { removedAt: Date | null }, db: Transaction) => Promise<void>;

async function deleteDue(
  { next, isAppealed }: typeof REMOVED_ARTICLES,
  { database, log }: Services,
  signal: AbortSignal,
  remove: (due: DueRemoval, check: Check) => Promise<void>,
): Promise<void> {
  for (let last: DueRemoval | undefined; ; ) {
    signal.throwIfAborted();
    const [due]: DueRemoval[] = await database.query(next, [REMOVED_MS, last?.removedAt ?? null, last?.id ?? 0]);
    if (!due) return;
    last = due;
    const check: Check = async ({ removedAt }, db) => {
      const [found] = await db.query(isAppealed, [due.id]);
      if (removedAt?.getTime() !== due.removedAt.getTime() || found?.isAppealed) throw new NoLongerDue();
    };
    await remove(due, check).catch((error) => {
      if (isDisconnected(error)) throw error;
      // Deleted by its author, or restored.
      if (error instanceof NoLongerDue || (error instanceof AppError && error.status === 404)) return;
      log.warn({ err: describeError(error) }, 'deleting what a moderator has removed failed, trying again later');
    });
  }
}
