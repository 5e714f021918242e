/** The data that attacks run against: long texts, the maximum of comments, the attacking and the other members. Inserted by SQL for speed. */
import pg from 'pg';
import type { AiProvider } from '../support/ai-provider.js';
import { type BuiltMember, buildMember } from '../support/build.js';

/** Content of article 1, which the other client reads: an ordinary one. */
export const ORDINARY_ARTICLE = 1;
/** 100,000 characters, and 100 comments with 100 replies each. */
export const LONG_ARTICLE = 2;
/** First id of the articles of 100,000 characters without a space. */
export const FIRST_ARTICLE_WITHOUT_BLANKS = 3;
export const ARTICLES_WITHOUT_BLANKS = 100;
/** First id of the articles whose Markdown takes the maximum render time. */
export const FIRST_HOSTILE_MARKDOWN = FIRST_ARTICLE_WITHOUT_BLANKS + ARTICLES_WITHOUT_BLANKS;

/** 100,000 characters each. */
export const HOSTILE_MARKDOWN: readonly string[] = [
  ...['[', '![', '*a **b ', '> ', '`', '<a href="', '[a](', '- '].map((text) => fill(text)),
  ...[1, 2, 3, 4].map((n) => fill(`${n}_a__b*`)),
  ...[1, 2, 3, 4].map(
    (n) => `${fill('a|', 5_000 * n)}\n${fill('-|', 5_000 * n)}\n${fill('b|', 100_000 - 10_000 * n - 2)}`,
  ),
  ...[1, 2, 3, 4].map((n) => fill(`[${n}]: <x\n`)),
];

/** Calls of the AI provider that the service under attack may make for one member. */
export const AI_DAILY_BUDGET = 3;

export interface Journal {
  readonly databaseUrl: string;
  readonly provider: AiProvider;
  /** Wrote all articles. */
  readonly author: BuiltMember;
  readonly attacker: BuiltMember;
  /** Sends requests during an attack. */
  readonly other: BuiltMember;
  /** Logs in during an attack. */
  readonly loggingIn: BuiltMember;
  /** Created by a social login, without a password, last login hours ago. */
  readonly withoutPassword: BuiltMember;
  /** Logged in hours ago, with a linked account at a provider. */
  readonly linked: BuiltMember;
}

/** @param withoutBlanks articles without a space: their search index takes most of the time */
export async function seedJournal(
  url: string,
  databaseUrl: string,
  provider: AiProvider,
  withoutBlanks = ARTICLES_WITHOUT_BLANKS,
): Promise<Journal> {
  const author = await buildMember(url);
  const attacker = await buildMember(url);
  const other = await buildMember(url);
  const loggingIn = await buildMember(url);
  const withoutPassword = await buildMember(url);
  const linked = await buildMember(url);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(ARTICLES, [author.id, withoutBlanks, FIRST_ARTICLE_WITHOUT_BLANKS]);
    await client.query("select setval('articles_id_seq', $1)", [FIRST_HOSTILE_MARKDOWN - 1]);
    await client.query(MARKDOWN, [author.id, HOSTILE_MARKDOWN]);
    await client.query(COMMENTS, [LONG_ARTICLE, 100, other.id]);
    await client.query(COMMENTS, [ORDINARY_ARTICLE, 20, other.id]);
    await client.query(REPLIES, [LONG_ARTICLE, 100, author.id]);
    await client.query(REPLIES, [ORDINARY_ARTICLE, 3, author.id]);
    await client.query(NOTIFICATIONS, [LONG_ARTICLE, attacker.id, other.id]);
    await client.query('update members set password_hash = null where id = $1', [withoutPassword.id]);
    await client.query(LINKS, [[withoutPassword.id, linked.id]]);
    await client.query(OLD_LOGINS, [[withoutPassword.id, linked.id]]);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return { databaseUrl, provider, author, attacker, other, loggingIn, withoutPassword, linked };
}

function fill(text: string, length = 100_000): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

// Hexadecimal digits of hashes: incompressible text without spaces. It ends with pairs of other letters, so that a scan for
// them reads all of it.
const ARTICLES = `
insert into articles (slug, member_id, category_id, title, content)
select gen_random_uuid(), $1, (select id from categories where member_id = $1 and is_default), 'Article ' || n, case
  when n = 1 then repeat('An ordinary sentence. ', 40)
  when n = 2 then left(repeat('A sentence of a *long* article, with a [link](https://example.org/). ', 2000), 100000)
  else (select left(string_agg(md5(n || '-' || i), ''), 99200) from generate_series(1, 3100) i) ||
       (select string_agg(chr(103 + i) || chr(103 + j), '') from generate_series(0, 19) i, generate_series(0, 19) j)
end
from generate_series(1, $2::int + $3::int - 1) n order by n`;

const MARKDOWN = `
insert into articles (slug, member_id, category_id, title, content)
select gen_random_uuid(), $1, (select id from categories where member_id = $1 and is_default), 'Markdown ' || n, text
from unnest($2::text[]) with ordinality as t(text, n) order by n`;

const COMMENTS = `
insert into comments (article_id, member_id, content)
select $1, $3, 'Comment ' || n || repeat(' with some words', 10) from generate_series(1, $2::int) n order by n`;

const REPLIES = `
insert into comments (article_id, parent_id, member_id, content)
select c.article_id, c.id, $3, 'Reply ' || n || repeat(' with some words', 10)
from comments c, generate_series(1, $2::int) n where c.article_id = $1 and c.parent_id is null order by c.id, n`;

const NOTIFICATIONS = `
insert into notifications (member_id, type, article_id, comment_id, actor_id)
select $2, 'COMMENT', $1, id, $3 from comments where article_id = $1 and parent_id is null order by id`;

const LINKS = `
insert into social_links (member_id, provider, subject) select id, 'GOOGLE', 'subject-' || id from unnest($1::int[]) id`;

const OLD_LOGINS = `update sessions set created_at = now() - interval '3 hours' where member_id = any($1::int[])`;
