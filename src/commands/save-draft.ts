/** Creates, changes and deletes drafts: short commands in one file. */
import { DRAFTS, type Draft, START_DRAFT } from '../models/draft/draft.js';
import {
  type Author,
  type CreatedDraft,
  compareStatement,
  createStatement,
  type DraftChanges,
  type SavedDraft,
  saveStatement,
} from '../models/draft/save.js';
import { SHARES } from '../models/share-link.js';
import type { Check } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { type Condition, outdated, revisionsOf } from '../platform/http/if-match.js';
import { createMessage } from '../platform/messages/message.js';

/** @throws AppError DRAFT_LIMIT_REACHED, CATEGORY_NOT_FOUND, IMAGE_NOT_FOUND, ARTICLE_NOT_FOUND; UNAUTHENTICATED if the session or API token has ended meanwhile */
export async function createDraft(
  database: Database,
  author: Author,
  changes: DraftChanges,
): Promise<Exclude<CreatedDraft, { id: null }>> {
  const [created] = await database.change(...createStatement(author, changes));
  requireReferences(created, changes);
  if (created.id === null) throw new AppError('INTERNAL_ERROR');
  return created;
}

/**
 * Changes a draft, for authors with one statement. An API token that may not publish changes nothing that others see, or will see at the time of
 * a schedule: under the lock, no schedule or share link is added meanwhile.
 * @throws as `saveText`; SCOPE_MISSING for such a draft, unless the changes make no difference
 */
export function saveDraft(database: Database, ...save: Save): Promise<SavedDraft> {
  const [id, author, changes] = save;
  if (author.mayPublish) return saveText(database, ...save);
  return database.transaction(async (db) => {
    const { publishAt } = await DRAFTS.lock(db, id, requireOwner(author));
    const [share] = await db.query(SHARES.draft.find, [id, author.memberId]);
    const isShown = publishAt !== null || share?.expiresAt != null;
    if (isShown && !(await findUnchangedDraft(db, id, author, changes, null))) {
      const message = createMessage(publishAt ? 'draftIsScheduled' : 'draftIsShared');
      throw new AppError('SCOPE_MISSING', { message, scopes: ['articles'] });
    }
    return saveText(db, ...save);
  });
}

type Save = [id: number, author: Author, changes: DraftChanges, ifMatch: Condition | null];

function requireOwner({ memberId }: Author): Check<Draft> {
  return (draft) => {
    if (draft.memberId !== memberId) throw new AppError('DRAFT_NOT_FOUND');
  };
}

/**
 * Changes a draft with one statement. A save that equals the stored text writes nothing. With an outdated `ifMatch`, it succeeds too if it has the
 * content: such as a save that is repeated because its response was lost. The client knows the current state from its request and the response.
 * @throws AppError DRAFT_NOT_FOUND, CATEGORY_NOT_FOUND, IMAGE_NOT_FOUND, ARTICLE_NOT_FOUND, PRECONDITION_FAILED, DRAFT_LIMIT_REACHED;
 * UNAUTHENTICATED if the session or API token has ended meanwhile
 */
async function saveText(database: Database, ...[id, author, changes, ifMatch]: Save): Promise<SavedDraft> {
  const statement = saveStatement(id, author, revisionsOf(ifMatch), changes);
  for (;;) {
    const [draft] = await database.change(...statement);
    if (draft?.isSaved) return draft;
    const found = requireSavable(draft, changes, ifMatch);
    if (!found.differs) return found;
  }
}

/** @returns the draft if `saveDraft` would write nothing; otherwise null. @throws as `saveText`, except DRAFT_LIMIT_REACHED */
export async function findUnchangedDraft(
  database: Database,
  ...[id, author, changes, ifMatch]: Save
): Promise<SavedDraft | null> {
  const [draft] = await database.query(...compareStatement(id, author, revisionsOf(ifMatch), changes));
  const found = requireSavable(draft, changes, ifMatch);
  return found.differs ? null : found;
}

/** @throws AppError DRAFT_NOT_FOUND, PRECONDITION_FAILED, and the errors of `requireReferences` */
function requireSavable(draft: SavedDraft | undefined, changes: DraftChanges, ifMatch: Condition | null): SavedDraft {
  if (!draft) throw new AppError('DRAFT_NOT_FOUND');
  requireReferences(draft, changes);
  const isKnown = draft.isCurrent || (!draft.differs && changes.content !== undefined);
  if (!isKnown) throw outdated(ifMatch, draft.revision);
  return draft;
}

/**
 * Starts a draft with the text of an article.
 * @returns its id; null if the article no longer belongs to the member, or has a draft
 * @throws AppError DRAFT_LIMIT_REACHED
 */
export async function startDraft(
  database: Database,
  articleId: number,
  { memberId, credentialId }: Author,
): Promise<number | null> {
  const [started] = await database.change(START_DRAFT, [articleId, memberId, credentialId]);
  return started?.id ?? null;
}

/** @throws AppError DRAFT_NOT_FOUND, and the errors of `check` */
export function deleteDraft(database: Database, id: number, check: Check<Draft>): Promise<void> {
  return database.transaction(async (db) => {
    await DRAFTS.lock(db, id, check);
    await DRAFTS.delete(db, id);
  });
}

/** @throws AppError UNAUTHENTICATED, CATEGORY_NOT_FOUND, IMAGE_NOT_FOUND, ARTICLE_NOT_FOUND */
function requireReferences<Found extends CreatedDraft | SavedDraft>(
  found: Found | undefined,
  { category, translationOf }: DraftChanges,
): asserts found is Found {
  if (!found?.hasAccess) throw new AppError('UNAUTHENTICATED');
  if (!found.hasCategory)
    throw new AppError('CATEGORY_NOT_FOUND', { message: createMessage('noCategoryNamed', JSON.stringify(category)) });
  if (!found.hasImage) throw new AppError('IMAGE_NOT_FOUND');
  if (!found.hasTranslation)
    throw new AppError('ARTICLE_NOT_FOUND', { message: createMessage('noOwnArticle', String(translationOf)) });
}
