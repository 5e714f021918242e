/**
 * The removal of articles and comments by decision of a moderator, and their restoration (docs/decisions/removal.md). A removed article is private: each
 * public statement, counter and stamp, and the notifications of others, follow from the change of the visibility.
 */
import ms from 'ms';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { statement } from '../../platform/database/statement.js';

export const REMOVED_MS = fixedLimit({
  area: 'Writing',
  about:
    'Time in which what a moderator has removed can be restored. It is deleted afterwards, and after the decision on an appeal.',
  value: ms('30d'),
  unit: 'ms',
  error: null,
});

/**
 * The transaction must have locked the row; no row if it is removed already. The version stays, since the article was not edited. What waits for a summary ends, as for
 * an article that becomes private.
 */
export const REMOVE_ARTICLE = statement<[articleId: number], { id: number }>(
  'remove_article',
  `with removed as (
     update all_articles set removed_at = clock_timestamp(), restores_public = not is_private, is_private = true
     where id = $1 and removed_at is null returning id, ai_summary
   ), cancelled as (
     update article_summaries s
     set revision = s.revision + 1, status = case when r.ai_summary is null then 'FAILED' else 'COMPLETED' end
     from removed r where s.article_id = r.id and s.status in ('PENDING', 'PROCESSING')
   )
   select id from removed`,
);

/** The article gets the visibility that it had. As for REMOVE_ARTICLE. */
export const RESTORE_ARTICLE = statement<[articleId: number], { id: number }>(
  'restore_article',
  `update all_articles set removed_at = null, is_private = not restores_public, restores_public = false
   where id = $1 and removed_at is not null returning id`,
);

/** As REMOVE_ARTICLE; also no row for a deleted comment, and for one that waits for approval. */
export const REMOVE_COMMENT = statement<[commentId: number], { id: number }>(
  'remove_comment',
  'update comments set removed_at = clock_timestamp() where id = $1 and deleted_at is null and removed_at is null returning id',
);

export const RESTORE_COMMENT = statement<[commentId: number], { id: number }>(
  'restore_comment',
  'update comments set removed_at = null where id = $1 and deleted_at is null and removed_at is not null returning id',
);

/** Something that was removed so long ago that it can be deleted. */
export interface DueRemoval {
  id: number;
  removedAt: Date;
}

/** A condition: an appeal about it is open. */
const isAppealed = (name: 'article' | 'comment', id: string): string =>
  `exists (select from decisions d join appeals p on p.decision_id = d.id where d.${name}_id = ${id} and p.answer_id is null)`;

const removalsOf = (name: 'article' | 'comment', table: string) => ({
  /** The next one after another one, in the order of the removals; none about which an appeal is open. */
  next: statement<[retentionMs: number, after: Date | null, afterId: number], DueRemoval>(
    `next_removed_${name}`,
    `select id, removed_at as "removedAt" from ${table} t
     where removed_at <= now() - $1 * interval '1 millisecond' and ($2::timestamptz is null or (removed_at, id) > ($2, $3))
       and not ${isAppealed(name, 't.id')}
     order by removed_at, id limit 1`,
  ),
  /** Under the lock of its row, which an appeal takes too. */
  isAppealed: statement<[id: number], { isAppealed: boolean }>(
    `is_removed_${name}_appealed`,
    `select ${isAppealed(name, '$1')} as "isAppealed"`,
  ),
});

export const REMOVED_ARTICLES = removalsOf('article', 'all_articles');
export const REMOVED_COMMENTS = removalsOf('comment', 'comments');
