/** Articles and comments of the sample journal in chronological order, so that ids ascend with time as in a real journal. */
import type { SeedArticle, SeedAuthor, SeedComment } from './entry.js';

export type SeedEvent =
  | { kind: 'article'; at: Date; by: string; article: SeedArticle }
  | { kind: 'comment'; at: Date; by: string; article: SeedArticle; comment: SeedComment; under?: SeedComment };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** @param now all dates are before it */
export function timelineOf(authors: readonly SeedAuthor[], now: Date): SeedEvent[] {
  const today = Math.floor(now.getTime() / DAY) * DAY;
  const all = authors.flatMap(({ member, articles }) =>
    articles.flatMap((article): SeedEvent[] => {
      const at = today - article.day * DAY + timeOf(article.at);
      return [{ kind: 'article', at: new Date(at), by: member.key, article }, ...commentsOn(article, at)];
    }),
  );
  return all.sort((a, b) => a.at.getTime() - b.at.getTime());
}

function commentsOn(article: SeedArticle, writtenAt: number): SeedEvent[] {
  const happening = (comment: SeedComment, under?: SeedComment): SeedEvent => {
    const at = new Date(writtenAt + comment.after * HOUR + minutesOf(comment));
    return { kind: 'comment', at, by: comment.by, article, comment, ...(under && { under }) };
  };
  return article.comments.flatMap((comment) => [
    happening(comment),
    ...comment.replies.map((reply) => happening(reply, comment)),
  ]);
}

/** A deterministic offset of 0 to 49 minutes, in milliseconds, so that comments are not dated on full hours after the article. */
function minutesOf({ content }: SeedComment): number {
  return ((content.length * 7) % 50) * 60_000;
}

function timeOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * HOUR + minutes * 60_000;
}
