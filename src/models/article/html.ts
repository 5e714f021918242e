/** Stored HTML renderings of articles. A trigger deletes a rendering when the content changes. */
import type { Transaction } from 'sequelize';
import type { Database } from '../../database/pool.js';
import { statement } from '../../database/statement.js';
import { type ImageSize, imagesOfArticle } from '../image.js';

export interface RenderedHtml {
  /** Version of the renderer. */
  version: number;
  html: string;
}

/** HTML as it is stored, without the sizes of images. */
export interface StoredHtml {
  html: string;
  /** The uploaded images that the article refers to, by their keys; null if there are none. */
  images: Readonly<Record<string, ImageSize>> | null;
}

export interface ArticleHtmlRow extends StoredHtml {
  /** Id of the article. */
  id: number;
}

/** In no order; only HTML of this version or a newer one. */
export const HTML_BY_ARTICLE = statement<[articleIds: readonly number[], version: number], ArticleHtmlRow>(
  'html_by_article',
  `select h.article_id as id, h.html, ${imagesOfArticle('h.article_id')} as images
   from article_html h where h.article_id = any($1::bigint[]) and h.version >= $2`,
);

export const ADD_ARTICLE_HTML = statement<[articleId: number, version: number, html: string]>(
  'add_article_html',
  'insert into article_html (article_id, version, html) values ($1, $2, $3)',
);

/** The HTML of this renderer version or a newer one, else the content. With a content: the HTML of that, else that. */
const HTML_OR_CONTENT = statement<
  [articleId: number, version: number, content: string | null],
  Pick<StoredHtml, 'images'> & ({ html: string; content: null } | { html: null; content: string })
>(
  'html_or_content',
  `select h.html, case when h.html is null then coalesce($3, a.content) end as content, ${imagesOfArticle('a.id')} as images
   from articles a left join article_html h on h.article_id = a.id and h.version >= $2 and a.content = coalesce($3, a.content)
   where a.id = $1`,
);

/** Waits for a concurrent edit (FOR SHARE); no effect if the content has changed. */
const REPLACE_ARTICLE_HTML = statement<[articleId: number, version: number, html: string, content: string]>(
  'replace_article_html',
  `insert into article_html as h (article_id, version, html)
   select id, $2, $3 from articles where id = $1 and content = $4 for share
   on conflict (article_id) do update set version = excluded.version, html = excluded.html
     where h.version < excluded.version`,
);

/** Call in the transaction that writes the content. */
export async function addArticleHtml(
  database: Database,
  articleId: number,
  { version, html }: RenderedHtml,
  transaction: Transaction,
): Promise<void> {
  await database.query(ADD_ARTICLE_HTML, [articleId, version, html], transaction);
}

/** @returns null if the article does not exist */
export async function findHtmlOrContent(
  database: Database,
  articleId: number,
  version: number,
  content: string | null,
) {
  const [found] = await database.query(HTML_OR_CONTENT, [articleId, version, content]);
  return found ?? null;
}

/** Stores rendered HTML, unless the article's content has changed since or HTML of the same or a newer version is stored. */
export async function replaceArticleHtml(
  database: Database,
  articleId: number,
  content: string,
  { version, html }: RenderedHtml,
): Promise<void> {
  await database.query(REPLACE_ARTICLE_HTML, [articleId, version, html, content]);
}
