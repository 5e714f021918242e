/** Schedules the publication of a draft, or removes its schedule. The job of a schedule is added with it (`models/draft/publication.ts`). */
import type { Transaction } from 'sequelize';
import { DRAFT_OF_MEMBER, DRAFTS, type Draft, type DraftRow } from '../models/draft/draft.js';
import { SCHEDULE_DRAFT, UNSCHEDULE_DRAFT, VERSION_OF_ARTICLE } from '../models/draft/publication.js';
import type { Check } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { requireVersion } from './edit-article.js';

interface Guard {
  /** Of the session or API token. */
  accessId: string;
  /** Throws if the draft must not be changed. */
  check: Check<Draft>;
}

/**
 * @param publishAt a time in RFC 3339
 * @throws AppError DRAFT_NOT_FOUND, the errors of `check`, VERSION_CONFLICT; UNAUTHENTICATED if the session or API token has ended meanwhile
 */
export function scheduleDraft(database: Database, id: number, publishAt: string, guard: Guard): Promise<DraftRow> {
  return database.inTransaction(async (transaction) => {
    const { memberId, articleId, baseVersion } = await lockDraft(database, id, guard, transaction);
    const [article] = articleId === null ? [] : await database.query(VERSION_OF_ARTICLE, [articleId], transaction);
    if (article) requireVersion(article.version, baseVersion);
    await database.query(SCHEDULE_DRAFT, [id, publishAt], transaction);
    return readDraft(database, id, memberId, transaction);
  });
}

/** Also removes the error of the last publication. @throws as `scheduleDraft`, except VERSION_CONFLICT */
export function unscheduleDraft(database: Database, id: number, guard: Guard): Promise<DraftRow> {
  return database.inTransaction(async (transaction) => {
    const { memberId } = await lockDraft(database, id, guard, transaction);
    await database.query(UNSCHEDULE_DRAFT, [id], transaction);
    return readDraft(database, id, memberId, transaction);
  });
}

function lockDraft(database: Database, id: number, { check, accessId }: Guard, transaction: Transaction) {
  return DRAFTS.lock(database, id, transaction, check, accessId);
}

async function readDraft(database: Database, id: number, memberId: number, transaction: Transaction): Promise<DraftRow> {
  const [draft] = await database.query(DRAFT_OF_MEMBER, [id, memberId], transaction);
  return draft as DraftRow;
}
