/** The files of `sample`: one per member, with the articles and the comments on them. */

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
  /** `3 days ago, 09:05`: days before the day (UTC) of the seeding, and the time of day in UTC. */
  written: string;
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

const FIELDS = /^(\w+): (.*)$/gm;

/** @param text the file of the member with this key */
export function parseAuthor(key: string, text: string): SeedAuthor {
  const [head = '', ...articles] = text.split(/^## /m);
  const { nickname = '', bio = '', categories = '' } = fieldsOf(head);
  const [, memberName = ''] = /^# (.*)/.exec(head) ?? [];
  const member = { key, memberName, nickname, bio, categories: categories.split(', ') };
  return { member, articles: articles.map(parseArticle) };
}

/** A title, a paragraph of fields, the content, and the comments under a heading. */
function parseArticle(text: string): SeedArticle {
  const [, title = '', head = '', content = '', comments = ''] =
    /^(.*)\n\n([\s\S]*?)\n\n([\s\S]*)\n\n### Comments\n\n([\s\S]*)/.exec(text) ?? [];
  const { category = '', tags = '', written = '' } = fieldsOf(head);
  return { title, category, tags: tags.split(', '), written, content, comments: parseComments(comments) };
}

function fieldsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(FIELDS)].map(([, name = '', value = '']) => [name, value]));
}

/** Lines of the form `author 5h: content`, with the hours after the article; a line that starts with `>` is a reply to the comment above. */
function parseComments(text: string): SeedComment[] {
  const comments: (SeedComment & { replies: SeedComment[] })[] = [];
  for (const line of text.trim().split('\n')) {
    const [, reply, by, hours, content] = /^(> )?(\w+) (\d+)h: (.+)$/.exec(line) ?? [];
    const siblings = reply ? comments.at(-1)?.replies : comments;
    if (!siblings || !by || !content) throw new Error(`not a comment of the sample journal: ${line}`);
    siblings.push({ by, after: Number(hours), content, replies: [] });
  }
  return comments;
}
