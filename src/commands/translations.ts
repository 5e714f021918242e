/** Moves articles into and out of groups of translations. */
import {
  BEGIN_TRANSLATIONS,
  COUNT_TRANSLATIONS,
  FIND_TRANSLATED,
  LOCK_FOR_TRANSLATION,
  MAX_TRANSLATIONS,
} from '../models/article/translation.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';

/** What a request says about the translations of an article: the id of an article that it joins; 0 to leave; absent or null: nothing. */
type TranslationOf = number | null | undefined;

/** The article before its change; without an id before it is created. */
interface Translated {
  readonly id: number | null;
  readonly memberId: number;
  readonly translationGroupId: number | null;
}

/** Before the article is locked. @param changed the article, or the author of a new one */
export async function lockForTranslation(
  db: Transaction,
  { id = null, memberId = null }: { id?: number | null; memberId?: number | null },
  translationOf: TranslationOf,
): Promise<void> {
  if (translationOf) await db.query(LOCK_FOR_TRANSLATION, [id, memberId, translationOf]);
}

/**
 * @param language that the article has after the change
 * @returns the group of the article after the change; undefined if it stays
 * @throws AppError VALIDATION_FAILED, ARTICLE_NOT_FOUND
 */
export async function findTranslationGroup(
  db: Transaction,
  { id, memberId, translationGroupId: current }: Translated,
  language: string | null,
  translationOf: TranslationOf,
): Promise<number | null | undefined> {
  if (!translationOf) {
    // An article that is alone in its group leaves it with its language.
    if (current === null || (translationOf !== 0 && language !== null)) return undefined;
    if (translationOf !== 0 && (await countIn(db, current)) > 1)
      throw invalid('language', createMessage('requiredOfTranslations'));
    return null;
  }
  if (translationOf === id) throw invalid('translationOf', createMessage('mustBeOtherArticle'));
  const [other] = await db.query(FIND_TRANSLATED, [translationOf, memberId]);
  if (!other)
    throw new AppError('ARTICLE_NOT_FOUND', { message: createMessage('noOwnArticle', String(translationOf)) });
  if (language === null) throw invalid('language', createMessage('requiredWith', 'translationOf'));
  if (other.language === null)
    throw invalid('translationOf', createMessage('articleWithoutLanguage', String(translationOf)));
  if (other.groupId === null) {
    const [added] = await db.query(BEGIN_TRANSLATIONS, [translationOf, memberId]);
    return added?.groupId;
  }
  if (other.groupId !== current && (await countIn(db, other.groupId)) >= MAX_TRANSLATIONS)
    throw invalid('translationOf', createMessage('tooManyTranslations', MAX_TRANSLATIONS));
  return other.groupId;
}

async function countIn(db: Transaction, groupId: number): Promise<number> {
  const [found] = await db.query(COUNT_TRANSLATIONS, [groupId]);
  return found?.articles ?? 0;
}
