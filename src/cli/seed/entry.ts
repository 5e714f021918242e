/** Types of the sample journal. */

export interface SeedMember {
  /** Local part of the email: `<key>@example.org`. */
  key: string;
  memberName: string;
  nickname: string;
  bio: string;
  categories: readonly string[];
}

export interface SeedComment {
  /** The key of the author, a member. */
  by: string;
  /** Hours after the article. */
  after: number;
  content: string;
  replies: readonly SeedComment[];
}

export interface SeedArticle {
  title: string;
  category: string;
  tags: readonly string[];
  /** Days before the day (UTC) of the seeding, and the time of day in UTC. */
  written: `${number} days ago, ${number}:${number}`;
  /** Markdown. The address `PICTURE` is that of the picture, an uploaded image of the author. */
  content: string;
  comments: readonly SeedComment[];
}

/** Stands for the address of the picture in the content of an article. */
export const PICTURE = 'picture:';

/** A member with the articles of this member. */
export interface SeedAuthor {
  member: SeedMember;
  articles: readonly SeedArticle[];
}

/** Parses lines of the form `author 5h: content`, with the hours after the article; a line that starts with `>` is a reply to the comment above. */
export function parseComments(text: string): SeedComment[] {
  const comments: (SeedComment & { replies: SeedComment[] })[] = [];
  for (const line of text.trim().split('\n')) {
    const [, reply, by, hours, content] = /^ *(> )?(\w+) (\d+)h: (.+)$/.exec(line) ?? [];
    const siblings = reply ? comments.at(-1)?.replies : comments;
    if (!siblings || !by || !content) throw new Error(`not a comment of the sample journal: ${line}`);
    siblings.push({ by, after: Number(hours), content, replies: [] });
  }
  return comments;
}
