/** The sample journal in the order in which it would have been written, so that ids follow time as they do in a real one. */
import type { SeedArticle, SeedAuthor, SeedComment } from './entry.js';

export type Happening =
  | { kind: 'article'; at: Date; by: string; article: SeedArticle }
  | { kind: 'comment'; at: Date; by: string; article: SeedArticle; comment: SeedComment; under?: SeedComment };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** @param now all dates are before it */
export function happenings(authors: readonly SeedAuthor[], now: Date): Happening[] {
  const today = Math.floor(now.getTime() / DAY) * DAY;
  const all = authors.flatMap(({ member, articles }) =>
    articles.flatMap((article): Happening[] => {
      const at = today - article.day * DAY + timeOf(article.at);
      return [{ kind: 'article', at: new Date(at), by: member.key, article }, ...commentsOn(article, at)];
    }),
  );
  return all.sort((a, b) => a.at.getTime() - b.at.getTime());
}

function commentsOn(article: SeedArticle, writtenAt: number): Happening[] {
  const happening = (comment: SeedComment, under?: SeedComment): Happening => {
    const at = new Date(writtenAt + comment.after * HOUR + minutesOf(comment));
    return { kind: 'comment', at, by: comment.by, article, comment, ...(under && { under }) };
  };
  return article.comments.flatMap((comment) => [
    happening(comment),
    ...comment.replies.map((reply) => happening(reply, comment)),
  ]);
}

/** Nobody comments on the hour: some minutes, from the words, the same each time. */
function minutesOf({ content }: SeedComment): number {
  return ((content.length * 7) % 50) * 60_000;
}

function timeOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * HOUR + minutes * 60_000;
}
