/** Stored HTML and visible texts of articles. A trigger deletes both when the content changes. */
import type { Database, Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { type ImageSize, imagesOfArticle } from '../image.js';
import type { Reader } from '../reader.js';
import { readableBy } from './article.js';
import { textColumnsOf } from './text.js';

export interface Rendered {
  /** Version of the renderer. */
  version: number;
  html: string;
  text: string;
  /** The names of members that the content mentions, in order. */
  mentioned: readonly string[];
}

/** HTML as it is stored, without the sizes of images. */
export interface StoredHtml {
  html: string;
  /** The uploaded images that the article refers to, by their keys; null if there are none. */
  images: Readonly<Record<string, ImageSize>> | null;
  /** The members whom the article mentions, by the names in it; null if there are none. */
  mentions: Readonly<Record<string, MentionedMember>> | null;
}

export interface MentionedMember {
  id: number;
  nickname: string;
}

/** An SQL expression for `StoredHtml.mentions`. */
export const mentionsOf = (articleId: string): string => `(
  select json_object_agg(n.name, json_build_object('id', m.id, 'nickname', m.nickname))
  from article_mentions x join members m on m.id = x.member_id cross join unnest(x.names) n (name) where x.article_id = ${articleId})`;

export interface ArticleHtmlRow extends StoredHtml {
  /** Id of the article. */
  id: number;
}

/** In no order; only HTML of this version or a newer one. */
export const HTML_BY_ARTICLE = statement<[articleIds: readonly number[], version: number], ArticleHtmlRow>(
  'html_by_article',
  `select h.article_id as id, h.html, ${imagesOfArticle('h.article_id')} as images, ${mentionsOf('h.article_id')} as mentions
   from article_html h where h.article_id = any($1::bigint[]) and h.version >= $2`,
);

type RenderingValues = [articleId: number, version: number, html: string, text: string];

/** For content that the same transaction has written: a trigger has deleted what was rendered of the previous content. */
export const ADD_RENDERING = statement<RenderingValues>(
  'add_rendering',
  `with t as (
     insert into article_texts (article_id, version, text) values ($1, $2, $4)
   )
   insert into article_html (article_id, version, html) values ($1, $2, $3)`,
);

/** What is stored of an article in this renderer version or a newer one; with a given content, what is stored of that. */
export interface StoredRendering extends Pick<StoredHtml, 'images' | 'mentions'> {
  html: string | null;
  text: string | null;
  /** Null if neither is missing. */
  content: string | null;
}

/** Of any article, for jobs. */
const FIND_RENDERING = statement<[articleId: number, version: number, content: string | null], StoredRendering>(
  'find_rendering',
  renderingOf('true'),
);

const FIND_READABLE_RENDERING = statement<
  [articleId: number, version: number, content: string | null, reader: Reader],
  StoredRendering
>('find_readable_rendering', renderingOf(readableBy('$4::reader')));

/** @param condition on `all_articles a` */
function renderingOf(condition: string): string {
  return `select h.html, t.text, case when h.html is null or t.text is null then coalesce($3, a.content) end as content,
     ${imagesOfArticle('a.id')} as images, ${mentionsOf('a.id')} as mentions
   from all_articles a
     left join article_html h on h.article_id = a.id and h.version >= $2 and a.content = coalesce($3, a.content)
     left join article_texts t on t.article_id = a.id and t.version >= $2 and a.content = coalesce($3, a.content)
   where a.id = $1 and ${condition}`;
}

/**
 * Waits for a concurrent edit; no effect if the content has changed. HTML and text of the same or a newer version stay. The time of the
 * last edit does not change.
 */
const REPLACE_RENDERING = statement<
  [
    articleId: number,
    version: number,
    html: string,
    text: string,
    excerpt: string | null,
    content: string,
    words: number,
    minutes: number,
  ]
>(
  'replace_rendering',
  `with current as (
     select id from all_articles where id = $1 and content = $6 for no key update
   ), html as (
     insert into article_html as h (article_id, version, html) select id, $2, $3 from current
     on conflict (article_id) do update set version = excluded.version, html = excluded.html
       where h.version < excluded.version
   ), stored as (
     insert into article_texts as t (article_id, version, text) select id, $2, $4 from current
     on conflict (article_id) do update set version = excluded.version, text = excluded.text
       where t.version < excluded.version
     returning article_id
   )
   update all_articles a set excerpt = $5, word_count = $7, reading_minutes = $8 from stored s
   where a.id = s.article_id and (a.excerpt, a.word_count, a.reading_minutes) is distinct from ($5, $7, $8)`,
);

/** The 1,000 articles before an id: the first of them, and those without a text of this renderer version or a newer one. Newest first. */
export const ARTICLES_WITHOUT_TEXT = statement<
  [beforeArticleId: number, version: number],
  { last: number | null; ids: number[] }
>(
  'articles_without_text',
  `select min(a.id) as last, coalesce(array_agg(a.id order by a.id desc) filter (where t.article_id is null), '{}') as ids
   from (select id from all_articles where id < $1 order by id desc limit 1000) a
     left join article_texts t on t.article_id = a.id and t.version >= $2`,
);

/** The newest article of a member without a text of this renderer version or a newer one. */
export const NEXT_WITHOUT_TEXT = statement<[memberId: number, version: number], { id: number }>(
  'next_without_text',
  `select a.id from all_articles a
   where a.member_id = $1 and not exists (select from article_texts t where t.article_id = a.id and t.version >= $2)
   order by a.id desc limit 1`,
);

/** The parameters of ADD_RENDERING. */
export function renderingValues(articleId: number, { version, html, text }: Rendered): RenderingValues {
  return [articleId, version, html, text];
}

/** Call in the transaction that writes the content, with the columns of `textColumnsOf`. */
export async function addRendering(db: Transaction, articleId: number, rendered: Rendered): Promise<void> {
  await db.query(ADD_RENDERING, renderingValues(articleId, rendered));
}

/** @param reader null in a job, which reads any article. @returns null if the article does not exist for the reader */
export async function findRendering(
  database: Database,
  articleId: number,
  { version, content, reader }: { version: number; content: string | null; reader: Reader | null },
): Promise<StoredRendering | null> {
  const [found] = await (reader === null
    ? database.query(FIND_RENDERING, [articleId, version, content])
    : database.query(FIND_READABLE_RENDERING, [articleId, version, content, reader]));
  return found ?? null;
}

/** Stores what was rendered, with the excerpt, unless the article's content has changed since. */
export async function replaceRendering(
  database: Database,
  articleId: number,
  content: string,
  { version, html, text }: Rendered,
): Promise<void> {
  const { excerpt, wordCount, readingMinutes } = textColumnsOf(content, { text });
  const values = [articleId, version, html, text, excerpt, content, wordCount, readingMinutes] as const;
  await database.query(REPLACE_RENDERING, [...values]);
}
