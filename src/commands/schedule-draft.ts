/** Schedules the publication of a draft, or removes its schedule. The job of a schedule is added with it (`models/draft/publication.ts`). */
import type { Transaction } from 'sequelize';
import { DRAFT_OF_MEMBER, DRAFTS, type Draft, type DraftRow } from '../models/draft/draft.js';
import { CONFLICTS_OF_DRAFT, SCHEDULE_DRAFT, UNSCHEDULE_DRAFT } from '../models/draft/publication.js';
import type { Check } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { requireNotRemoved } from '../services/auth/policy.js';
import { requireBaseRevision } from './change-article.js';

interface Guard {
  /** Of the session or API token. */
  credentialId: string;
  /** Throws if the draft must not be changed. */
  check: Check<Draft>;
}

/**
 * @param publishAt a time in RFC 3339
 * @throws AppError DRAFT_NOT_FOUND, the errors of `check`, ARTICLE_FORBIDDEN, REVISION_CONFLICT, SLUG_TAKEN; UNAUTHENTICATED if the session or API token has ended meanwhile
 */
export function scheduleDraft(database: Database, id: number, publishAt: string, guard: Guard): Promise<DraftRow> {
  return database.inTransaction(async (transaction) => {
    const { memberId, baseRevision } = await lockDraft(database, id, guard, transaction);
    const [conflicts] = await database.query(CONFLICTS_OF_DRAFT, [id], transaction);
    requireNotRemoved(conflicts?.isRemoved === true, 'ARTICLE_FORBIDDEN');
    if (conflicts?.revision != null) requireBaseRevision(conflicts.revision, baseRevision);
    if (conflicts?.isSlugTaken) throw new AppError('SLUG_TAKEN');
    await database.query(SCHEDULE_DRAFT, [id, publishAt], transaction);
    return readDraft(database, id, memberId, transaction);
  });
}

/** Also removes the error of the last publication. @throws as `scheduleDraft`, except the conflicts */
export function unscheduleDraft(database: Database, id: number, guard: Guard): Promise<DraftRow> {
  return database.inTransaction(async (transaction) => {
    const { memberId } = await lockDraft(database, id, guard, transaction);
    await database.query(UNSCHEDULE_DRAFT, [id], transaction);
    return readDraft(database, id, memberId, transaction);
  });
}

function lockDraft(database: Database, id: number, { check, credentialId }: Guard, transaction: Transaction) {
  return DRAFTS.lock(database, id, transaction, check, credentialId);
}

async function readDraft(
  database: Database,
  id: number,
  memberId: number,
  transaction: Transaction,
): Promise<DraftRow> {
  const [draft] = await database.query(DRAFT_OF_MEMBER, [id, memberId], transaction);
  return draft as DraftRow;
}
