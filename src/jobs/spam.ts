/** Teaches the spam model what members and operators have decided. */
import { ADD_DECISIONS, type Label, LOCK_SPAM_MODEL, STORE_SPAM_MODEL, TAKE_LABELS } from '../models/spam.js';
import { bytesOf, countsOf, emptyCounts, learn } from '../services/approval/spam-score.js';
import type { Services } from '../services/index.js';
import type { JobRun } from './job.js';

const BATCH = 200;

/**
 * A member who is no moderator teaches so many decisions, and further ones only up to this share of all: one account, or a few, cannot change what
 * the model has learned from others.
 */
const FIRST_DECISIONS = 100;
const LARGEST_SHARE = 0.25;

/** In batches, each of which is one transaction with the labels that it removes. */
export async function learnSpam(_payload: unknown, { database }: Services, { signal }: JobRun): Promise<void> {
  for (let taken = BATCH; taken === BATCH; ) {
    signal.throwIfAborted();
    taken = await database.transaction(async (db) => {
      const [stored] = await db.query(LOCK_SPAM_MODEL, []);
      const labels = await db.query(TAKE_LABELS, [BATCH]);
      const model = stored ? countsOf(stored) : emptyCounts();
      const learned = new Map<number | null, number>();
      for (const label of labels) {
        const before = learned.get(label.deciderId) ?? 0;
        if (!isAdmitted(label, before, model.spam + model.other)) continue;
        learn(model, label.content, label.isSpam);
        learned.set(label.deciderId, before + 1);
      }
      if (learned.size === 0) return labels.length;
      await db.query(ADD_DECISIONS, [[...learned.keys()], [...learned.values()]]);
      await db.query(STORE_SPAM_MODEL, [model.spam, model.other, bytesOf(model)]);
      return labels.length;
    });
  }
}

function isAdmitted({ isTrusted, decisions }: Label, before: number, total: number): boolean {
  const ofDecider = decisions + before;
  return isTrusted || ofDecider < FIRST_DECISIONS || ofDecider < LARGEST_SHARE * total;
}
