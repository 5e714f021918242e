/** Schedules the publication of a draft, or removes its schedule. The job of a schedule is added with it (`models/draft/publication.ts`). */
import { DRAFT_OF_MEMBER, DRAFTS, type Draft, type DraftRow } from '../models/draft/draft.js';
import { CONFLICTS_OF_DRAFT, SCHEDULE_DRAFT, UNSCHEDULE_DRAFT } from '../models/draft/publication.js';
import type { CheckUnderLock } from '../models/table.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { requireNotRemoved } from '../services/auth/policy.js';
import { requireBaseRevision } from './change-article.js';

interface Guard {
  /** Of the session or API token. */
  credentialId: string;
  /** Throws if the draft must not be changed. */
  check: CheckUnderLock<Draft>;
}

/**
 * @param publishAt a time in RFC 3339
 * @throws AppError DRAFT_NOT_FOUND, the errors of `check`, ARTICLE_FORBIDDEN, REVISION_CONFLICT, SLUG_TAKEN, TRANSLATION_EXISTS; UNAUTHENTICATED if the session or API token has ended meanwhile
 */
export function scheduleDraft(database: Database, id: number, publishAt: string, guard: Guard): Promise<DraftRow> {
  return database.transaction(async (db) => {
    const { memberId, baseRevision } = await lockDraft(db, id, guard);
    const [conflicts] = await db.query(CONFLICTS_OF_DRAFT, [id]);
    requireNotRemoved(conflicts?.isRemoved === true, 'ARTICLE_FORBIDDEN');
    if (conflicts?.revision != null) requireBaseRevision(conflicts.revision, baseRevision);
    if (conflicts?.isSlugTaken) throw new AppError('SLUG_TAKEN');
    if (conflicts?.isTranslated) throw new AppError('TRANSLATION_EXISTS');
    await db.query(SCHEDULE_DRAFT, [id, publishAt]);
    return readDraft(db, id, memberId);
  });
}

/** Also removes the error of the last publication. @throws as `scheduleDraft`, except the conflicts */
export function unscheduleDraft(database: Database, id: number, guard: Guard): Promise<DraftRow> {
  return database.transaction(async (db) => {
    const { memberId } = await lockDraft(db, id, guard);
    await db.query(UNSCHEDULE_DRAFT, [id]);
    return readDraft(db, id, memberId);
  });
}

function lockDraft(db: Transaction, id: number, { check, credentialId }: Guard) {
  return DRAFTS.lock(db, id, check, credentialId);
}

async function readDraft(db: Transaction, id: number, memberId: number): Promise<DraftRow> {
  const [draft] = await db.query(DRAFT_OF_MEMBER, [id, memberId, true]);
  return draft as DraftRow;
}
