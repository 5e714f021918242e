/** The forms in which the sample journal is written down. */

export interface SeedMember {
  /** Begins the email: `<key>@example.org`. */
  key: string;
  memberName: string;
  nickname: string;
  bio: string;
  categories: readonly string[];
}

export interface SeedComment {
  /** The key of a member. */
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
  /** Days before the day of the seeding. */
  day: number;
  /** Of that day, in UTC. */
  at: `${number}:${number}`;
  content: string;
  comments: readonly SeedComment[];
}

/** A member with what the member wrote. */
export interface SeedAuthor {
  member: SeedMember;
  articles: readonly SeedArticle[];
}

/** A comment, or under one a reply; both are dated by hours after the article. */
export function says(by: string, after: number, content: string, ...replies: SeedComment[]): SeedComment {
  return { by, after, content, replies };
}
