/** Transfers the content of an imported author to a member. */
import { MAX_CATEGORIES } from '../models/category.js';
import {
  CLAIM_ARTICLES,
  CLAIM_BLOCKS,
  CLAIM_CATEGORIES,
  CLAIM_COMMENTS,
  CLAIM_DECISIONS,
  CLAIM_DRAFTS,
  CLAIM_FOLLOWERS,
  CLAIM_IMAGES,
  CLAIM_IMPORT_RECORDS,
  CLAIM_MENTIONS,
  CLAIM_SERIES,
  CLAIM_TRANSLATIONS,
  LOCK_CLAIM,
  SHOW_MEMBER,
} from '../models/member/claim.js';
import { MEMBERS } from '../models/member/member.js';
import { LOCK_ARTICLES } from '../models/member/removal.js';
import { MAX_SERIES } from '../models/series.js';
import { LOCK_TAGS_OF_MEMBER } from '../models/tag.js';
import { AppError } from '../platform/errors.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';

/**
 * The author, who must have no login method, is deleted.
 * @returns the numbers of transferred rows
 * @throws AppError DRAFT_LIMIT_REACHED, SERIES_LIMIT_REACHED; MEMBER_NOT_FOUND if one of them has been deleted, or the author has a login method meanwhile
 */
export function claimAuthor(
  source: EventSource,
  { authorId, memberId }: { authorId: number; memberId: number },
): Promise<{ articles: number; drafts: number; comments: number }> {
  const { database } = source;
  return database.transaction(async (db) => {
    const locked = await db.query(LOCK_CLAIM, [authorId, memberId]);
    if (locked.filter(({ isReady }) => isReady).length < 2) throw new AppError('MEMBER_NOT_FOUND');
    await recordEvent(db, source, { kind: 'CONTENT_CLAIMED', memberId });
    await db.query(CLAIM_CATEGORIES, [authorId, memberId, MAX_CATEGORIES]);
    await db.query(LOCK_ARTICLES, [authorId]);
    await db.query(LOCK_TAGS_OF_MEMBER, [authorId]);
    const articles = await db.query(CLAIM_ARTICLES, [authorId, memberId]);
    await db.query(CLAIM_TRANSLATIONS, [authorId, memberId]);
    const [series] = await db.query(CLAIM_SERIES, [authorId, memberId]);
    if ((series?.total ?? 0) > MAX_SERIES) throw new AppError('SERIES_LIMIT_REACHED');
    const drafts = await db.query(CLAIM_DRAFTS, [authorId, memberId]);
    await db.query(CLAIM_IMAGES, [authorId, memberId]);
    const [claimed] = await db.query(CLAIM_COMMENTS, [authorId, memberId]);
    await db.query(CLAIM_DECISIONS, [authorId, memberId]);
    await db.query(CLAIM_BLOCKS, [authorId, memberId]);
    await db.query(CLAIM_FOLLOWERS, [authorId, memberId]);
    await db.query(CLAIM_MENTIONS, [authorId, memberId]);
    await db.query(CLAIM_IMPORT_RECORDS, [authorId, memberId]);
    await MEMBERS.delete(db, authorId);
    await db.query(SHOW_MEMBER, [memberId]);
    return { articles: articles.length, drafts: drafts.length, comments: claimed?.comments ?? 0 };
  });
}
