/** Articles and comments of the sample journal in chronological order, so that ids ascend with time as in a real journal. */
import ms from 'ms';
import type { SeedArticle, SeedAuthor, SeedComment } from './entry.js';

export type SeedEvent =
  | { kind: 'article'; at: Date; by: string; article: SeedArticle }
  | { kind: 'comment'; at: Date; by: string; article: SeedArticle; comment: SeedComment; parent?: SeedComment };

export const DAY_MS = ms('1d');

/** @param now all dates are before it */
export function timelineOf(authors: readonly SeedAuthor[], now: Date): SeedEvent[] {
  const all = authors.flatMap(({ member, articles }) =>
    articles.flatMap((article): SeedEvent[] => {
      const articleAt = writtenAt(article, now);
      return [{ kind: 'article', at: new Date(articleAt), by: member.key, article }, ...commentsOn(article, articleAt)];
    }),
  );
  return all.sort((a, b) => a.at.getTime() - b.at.getTime());
}

function commentsOn(article: SeedArticle, articleAt: number): SeedEvent[] {
  const commentEvent = (comment: SeedComment, parent?: SeedComment): SeedEvent => {
    const at = new Date(articleAt + comment.after * ms('1h') + offsetMs(comment));
    return { kind: 'comment', at, by: comment.by, article, comment, ...(parent && { parent }) };
  };
  return article.comments.flatMap((comment) => [
    commentEvent(comment),
    ...comment.replies.map((reply) => commentEvent(reply, comment)),
  ]);
}

/** A deterministic offset of 0 to 49 minutes, so that comments are not dated on full hours after the article. */
function offsetMs({ content }: SeedComment): number {
  return ((content.length * 7) % 50) * ms('1m');
}

/** @returns milliseconds since 1970 */
export function writtenAt({ written }: SeedArticle, now: Date): number {
  return timeOf(written, now, -1);
}

/** @param text `3 days ago, 09:05`, or `in 3 days, 09:05` @param sign -1 or 1 */
export function timeOf(text: string, now: Date, sign: number): number {
  const [days = 0, hours = 0, minutes = 0] = text.match(/\d+/g)?.map(Number) ?? [];
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return today + sign * days * DAY_MS + hours * ms('1h') + minutes * ms('1m');
}
