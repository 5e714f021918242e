/** All public data as JSON Lines: members, articles, series and comments, with the fields of the REST API. */
import { pages, type Snapshot } from '../../export/snapshot.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../../models/article/article.js';
import type { ArticleHtmlRow } from '../../models/article/html.js';
import { metadataIn } from '../../models/article/metadata.js';
import { TRANSLATION_KEYS } from '../../models/article/translation.js';
import { COMMENTS_BY_ID, type CommentRow } from '../../models/comment/comment.js';
import { imagesOfArticle } from '../../models/image.js';
import { IS_PENDING, MEMBERS_BY_ID, type MemberRow } from '../../models/member/member.js';
import { byKind, countOf } from '../../models/reaction-kinds.js';
import { ANONYMOUS } from '../../models/reader.js';
import { SERIES, type SeriesRow } from '../../models/series.js';
import { toDate } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { VERSION } from '../../platform/version.js';
import { type ImageStore, sizesOf } from '../../services/images/store.js';

export interface JournalCounts {
  members: number;
  articles: number;
  series: number;
  comments: number;
}

/** What the URLs of images are made of. */
export interface ImageUrls {
  publicUrl: string;
  images: ImageStore;
}

/** Format version: incremented when a field changes its meaning or is removed. */
const FORMAT_VERSION = 2;

/**
 * The first line is a header (`journal`), the last one a trailer (`end`) with the counts: a file without it is truncated.
 * Records are ordered by id and there is no export time, so that the same data gives the same bytes.
 *
 * @param counts incremented after each page of rows
 */
export async function* journalLines(
  snapshot: Snapshot,
  imageUrls: ImageUrls,
  counts: JournalCounts,
): AsyncGenerator<string> {
  yield line({ type: 'journal', format: FORMAT_VERSION, generator: `Daybook ${VERSION}`, url: imageUrls.publicUrl });
  for (const { name, pagesIn } of KINDS) {
    for await (const records of pagesIn(snapshot, imageUrls)) {
      yield records.map(line).join('');
      counts[name] += records.length;
    }
  }
  yield line({ type: 'end', ...counts });
}

type ExportedSeries = SeriesRow & { articleIds: number[] };

/** With their public articles in order. */
const SERIES_WITH_ARTICLES = statement<[ids: readonly number[]], ExportedSeries>(
  'export_series_articles',
  `select ${SERIES.without('articleIds').select}, array_to_json(array(
     select a.id from articles a where a.series_id = s.id order by a.series_position, a.id)) as "articleIds"
   from series s where s.id = any($1::bigint[])`,
);

const KINDS = [
  // Members whose address is not confirmed yet have no public profile.
  kindOf(
    'members',
    `(select id from members where not (${IS_PENDING})) m`,
    (read, ids) => read(MEMBERS_BY_ID, [ids]),
    memberRecord,
    500,
  ),
  // An article may have 100,000 characters.
  kindOf('articles', 'articles', readArticles, articleRecord, 50),
  kindOf('series', 'series', (read, ids) => read(SERIES_WITH_ARTICLES, [ids]), seriesRecord, 100),
  // As everyone sees them, without those on private articles.
  kindOf(
    'comments',
    'comments',
    (read, ids) => read(COMMENTS_BY_ID, [ids, ids.map(() => ANONYMOUS)]),
    commentRecord,
    500,
  ),
];

/** @param source the rows, with their ids @param rows returns the rows for an array of ids, in any order @param pageRows page size, and so the number of rows in memory */
function kindOf<Row extends { id: number }>(
  name: keyof JournalCounts,
  source: string,
  rows: (read: Snapshot['read'], ids: readonly number[]) => Promise<Row[]>,
  toRecord: (row: Row, imageUrls: ImageUrls) => object,
  pageRows: number,
) {
  const ids = statement<[lastId: number, size: number], { id: number }>(
    `export_${name}`,
    `select id from ${source} where id > $1 order by id limit $2`,
  );
  async function* pagesIn(snapshot: Snapshot, imageUrls: ImageUrls): AsyncGenerator<object[]> {
    for await (const page of pages(snapshot, ids, pageRows)) {
      const details = await rows(
        snapshot.read,
        page.map(({ id }) => id),
      );
      yield details.sort((a, b) => a.id - b.id).map((row) => toRecord(row, imageUrls));
    }
  }
  return { name, pagesIn };
}

/** Lists each field explicitly, so that a new private column is not exported by accident. */
function memberRecord({ id, nickname, bio, profileImage, createdAt, updatedAt }: MemberRow, imageUrls: ImageUrls) {
  return { type: 'member', id, nickname, profileImg: urlOf(profileImage, imageUrls), bio, createdAt, updatedAt };
}

/** The images that the content of each article refers to. */
const IMAGES_BY_ARTICLE = statement<[articleIds: readonly number[]], Pick<ArticleHtmlRow, 'id' | 'images'>>(
  'export_article_images',
  `select a.id, ${imagesOfArticle('a.id')} as images from unnest($1::bigint[]) as a(id)`,
);

type ExportedArticle = ArticleRow & Pick<ArticleHtmlRow, 'images'> & { translationKey: string | null };

async function readArticles(read: Snapshot['read'], ids: readonly number[]): Promise<ExportedArticle[]> {
  const images = new Map((await read(IMAGES_BY_ARTICLE, [ids])).map((row) => [row.id, row.images]));
  const articles = await read(ARTICLES_BY_ID, [ids, ANONYMOUS]);
  // Of a group without another public article, no key: it would show that there is a private one.
  const translated = articles.filter(({ translations }) => translations.length > 0).map(({ id }) => id);
  const keys = new Map((await read(TRANSLATION_KEYS, [translated])).map(({ id, key }) => [id, key]));
  return articles.map((article) => ({
    ...article,
    images: images.get(article.id) ?? null,
    translationKey: keys.get(article.id) ?? null,
  }));
}

function articleRecord(row: ExportedArticle, imageUrls: ImageUrls) {
  const { id, title, slug, content, authorName, memberId, categoryName, categoryId, image, tags, commentCount } = row;
  const { aiSummary, viewCount, seriesId, wordCount, readingMinutes, revision, createdAt, updatedAt } = row;
  const context = { author: authorName, memberId, category: categoryName, categoryId, tags };
  const articleImg = urlOf(image, imageUrls);
  const articleImgSizes = image === null ? [] : sizesOf(imageUrls.images, image, row.imageWidth, imageUrls.publicUrl);
  const images = Object.entries(row.images ?? {}).map(([key, size]) => ({ url: urlOf(key, imageUrls), ...size }));
  const rest = {
    ...metadataIn(row),
    translations: row.translations,
    translationKey: row.translationKey,
    key: row.key,
    articleImg,
    articleImgAlt: row.imageAlt,
    articleImgWidth: row.imageWidth,
    articleImgHeight: row.imageHeight,
    articleImgSizes,
    images,
    aiSummary,
    commentCount,
    ...byKind((reaction) => [countOf(reaction), row[countOf(reaction)]]),
    viewCount,
    seriesId,
    wordCount,
    readingMinutes,
    revision,
    publishedAt: toDate(createdAt),
    createdAt: toDate(createdAt),
    updatedAt: toDate(updatedAt),
  };
  return { type: 'article', id, title, slug, content, ...context, ...rest };
}

function seriesRecord({ id, title, description, memberId, articleCount, articleIds, updatedAt }: ExportedSeries) {
  return { type: 'series', id, title, description, memberId, articleCount, articleIds, updatedAt };
}

function commentRecord({ id, articleId, parentId, content, authorName, memberId, createdAt, updatedAt }: CommentRow) {
  return { type: 'comment', id, articleId, parentId, content, author: authorName, memberId, createdAt, updatedAt };
}

function urlOf(key: string | null, { images, publicUrl }: ImageUrls): string | null {
  return key && images.url(key, publicUrl);
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
