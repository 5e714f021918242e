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
  /** Days before the day (UTC) of the seeding. */
  day: number;
  /** Time of day in UTC, as `hours:minutes`. */
  at: `${number}:${number}`;
  content: string;
  comments: readonly SeedComment[];
}

/** A member with the articles of this member. */
export interface SeedAuthor {
  member: SeedMember;
  articles: readonly SeedArticle[];
}

/** Builds a comment with its replies; `after` is in hours after the article for both. */
export function says(by: string, after: number, content: string, ...replies: SeedComment[]): SeedComment {
  return { by, after, content, replies };
}
