/** Whom an article mentions, for the commands that create and edit articles. */
import type { Rendered } from '../models/article/html.js';
import { FIND_MENTIONS, type Mention, STORE_MENTIONS } from '../models/mention.js';
import { NOTIFY_OF_MENTIONS } from '../models/notification/create.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

export interface Mentioning {
  authorId: number;
  /** Null for a new article. */
  articleId: number | null;
  /** The content, if it changes; null for an article that becomes public. */
  content: string | null;
  /** Null if the content is rendered later. */
  rendered: Rendered | null;
}

/**
 * Before the transaction writes or locks rows that others share: it waits for blocks.
 * @throws AppError BLOCKED if a member who blocks the author is mentioned for the first time
 */
export async function findMentions(
  db: Transaction,
  { authorId, articleId, content, rendered }: Mentioning,
): Promise<Mention[]> {
  const names = content === null ? [] : (rendered?.mentioned ?? mentionedInSource(content));
  if (content !== null && names.length === 0) return [];
  const found = await db.query(FIND_MENTIONS, [authorId, names, articleId]);
  if (found.some(({ isBlocked }) => isBlocked)) throw new AppError('BLOCKED');
  return found.flatMap((one) => (one.memberId === null ? [] : [one]));
}

/** After the article is written. Notifies members of a public article, each once. */
export async function storeMentions(db: Transaction, articleId: number, mentions: readonly Mention[]): Promise<void> {
  const ids = mentions.map(({ memberId }) => memberId);
  const names = mentions.map((mention) => JSON.stringify(mention.names));
  if (ids.length > 0) await db.query(STORE_MENTIONS, [articleId, ids, names]);
  await db.query(NOTIFY_OF_MENTIONS, [articleId]);
}
