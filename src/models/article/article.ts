/** The table of all articles, public and private, and its readable columns. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { isModerator } from '../moderation/role.js';
import { byKind, countOf, JOIN_VISIBLE_COUNTS } from '../reaction-kinds.js';
import type { Reader } from '../reader.js';
import { ARTICLE_STAMP, JOIN_COUNTS, JOIN_STAMP, SLUG_STAMP } from '../stamp.js';
import { RowTable } from '../table.js';
import { Metadata, metadataAsRevised, metadataColumns } from './metadata.js';
import { countWords, EXCERPT_SOURCE_LENGTH } from './text.js';
import type { TranslationRow } from './translation.js';

export const MAX_TITLE_LENGTH = 100;

export const MAX_CONTENT_LENGTH = 100_000;

export const MAX_IMAGE_ALT_LENGTH = 300;

/** Who can read an article, with a description of each. */
export const VISIBILITIES = {
  PUBLIC: 'Everyone.',
  PRIVATE: 'Only the author: for everyone else, the article does not exist.',
} as const;

export type Visibility = keyof typeof VISIBILITIES;

/** The name `articles` is the view of the public ones (docs/decisions/private-articles.md). */
@Table({ tableName: 'all_articles' })
export class Article extends Metadata<InferAttributes<Article>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true }) declare id: number;
  /** Of the text in exports, by which an import recognizes it. */
  @Column(DataType.UUID) declare key: string;
  @Column(DataType.BIGINT) declare memberId: number;
  @Column(DataType.BIGINT) declare categoryId: number;
  @Column(DataType.STRING(MAX_TITLE_LENGTH)) declare title: string;
  @Column(DataType.TEXT) declare content: string;
  /** The beginning of the visible text; null if the content has not been rendered yet. */
  @Column(DataType.STRING(200)) declare excerpt: string | null;
  /** Of an article that was never public, a proposal. */
  @Column(DataType.STRING(100)) declare slug: string;
  /** Whether the author chose the slug: if it is taken, the article cannot become public. Otherwise a trigger adds a number. */
  @Column(DataType.BOOLEAN) declare isSlugGiven: boolean;
  /** Of the visible text, like `readingMinutes`; estimated if the content has not been rendered yet. */
  @Column(DataType.INTEGER) declare wordCount: number;
  @Column(DataType.INTEGER) declare readingMinutes: number;
  /** The storage key of the article's image. */
  @Column(DataType.TEXT) declare image: string | null;
  /** Width of the image in pixels; null for images that were stored without smaller sizes. */
  @Column(DataType.INTEGER) declare imageWidth: number | null;
  /** In pixels; null until a job has read it, for images that were stored without it. */
  @Column(DataType.INTEGER) declare imageHeight: number | null;
  /** Alternative text of the image. */
  @Column(DataType.STRING(MAX_IMAGE_ALT_LENGTH)) declare imageAlt: string | null;
  @Column(DataType.BIGINT) declare translationGroupId: number | null;
  @Column(DataType.TEXT) declare aiSummary: string | null;
  /** Whether it exists only for its author. */
  @Column(DataType.BOOLEAN) declare isPrivate: boolean;
  /** Set on an article that a moderator has removed, which is private (models/moderation/removal.ts). */
  @Column(DataType.DATE) declare removedAt: Date | null;
  /** Incremented by each edit. */
  @Column(DataType.INTEGER) declare revision: number;
  @Column(DataType.DATE) declare createdAt: Date;
  @Column(DataType.DATE) declare updatedAt: Date;
}

/** With the columns that authors write as they are. Commands derive the others. */
export const ARTICLES = new RowTable(Article, 'ARTICLE_NOT_FOUND', ['title', 'content']);

/** The readable columns of `articleSource`. */
export const ARTICLE = new ColumnList({
  id: column<number>('a.id'),
  memberId: column<number>('a.member_id'),
  authorName: column<string>('m.nickname'),
  authorImage: column<string | null>('m.profile_image'),
  categoryId: column<number>('a.category_id'),
  categoryName: column<string>('k.name'),
  title: column<string>('a.title'),
  slug: column<string>('a.slug'),
  wordCount: column<number>('a.word_count'),
  readingMinutes: column<number>('a.reading_minutes'),
  ...metadataColumns('a'),
  excerpt: column<string | null>('a.excerpt'),
  /** For an article without an excerpt: the beginning of its content. */
  beginning: column<string | null>(`case when a.excerpt is null then left(a.content, ${EXCERPT_SOURCE_LENGTH}) end`),
  content: column<string>('a.content'),
  /** Of the text in exports. */
  key: column<string>('a.key'),
  /** In results of a search by keyword: the part of the visible text around the first match, then the snippet. */
  snippet: column<string | null>('null'),
  image: column<string | null>('a.image'),
  imageWidth: column<number | null>('a.image_width'),
  imageHeight: column<number | null>('a.image_height'),
  imageAlt: column<string | null>('a.image_alt'),
  tags: column<string[]>('w.tags'),
  commentCount: column<number>('a.comment_count'),
  ...byKind((reaction) => [countOf(reaction), column<number>(`${reaction.name}s.number`)]),
  viewCount: column<number>('coalesce(r.views, 0)'),
  seriesId: column<number | null>('a.series_id'),
  translations: column<TranslationRow[]>('w.translations'),
  /** In the list of a reader's bookmarks. */
  bookmarkedAt: column<Date | string | null>('null'),
  aiSummary: column<string | null>('a.ai_summary'),
  isPrivate: column<boolean>('a.is_private'),
  removedAt: column<Date | string | null>('a.removed_at'),
  revision: column<number>('a.revision'),
  createdAt: timestamp('a.created_at'),
  updatedAt: timestamp('a.updated_at'),
});

const JOIN_SHOWN = `${JOIN_COUNTS} ${JOIN_VISIBLE_COUNTS} cross join lateral shown_with_article(a.id, a.translation_group_id) w`;

/** The content of the `from` clause. @param table `articles` for the public ones: a statement with all of them needs a condition on the reader */
export const articleSource = (table: 'articles' | 'all_articles'): string =>
  `${table} a join members m on m.id = a.member_id join categories k on k.id = a.category_id ${JOIN_SHOWN}`;

/**
 * The only definition of who sees an article as it is: an SQL condition on `all_articles a`.
 * @param reader an SQL expression, such as `$2::reader`, or `reader_of($2)` for a member who reads everything of their own
 */
export const readableBy = (reader: string): string => `can_read(a.is_private, a.member_id, ${reader})`;

/** A condition on `all_articles a`: moderators see what was public of it. */
export const isModerated = (reader: string): string =>
  `(a.removed_at is not null and a.private_revision is not null and ${isModerator(`(${reader}).moderator_id`)})`;

/** An article as the loaders return it, with packed timestamps; `readStamp` parses the stamp. */
export type ArticleRow = Row<typeof ARTICLE> & { stamp: string };

/** One article: its content is not in the JSON text, since it would be encoded and decoded once more. */
const selectArticle = (stamp: string) =>
  `select json_build_array(${ARTICLE.packed({ content: 'null' })})::text as packed, a.content, ${stamp} as stamp`;

const unpackArticle = ({ packed, content, stamp }: { packed: string; content: string; stamp: string }): ArticleRow =>
  Object.assign(ARTICLE.unpack(JSON.parse(packed)), { content, stamp });

/** Those of some articles that the reader sees, in no order. */
export const ARTICLES_BY_ID = statement<[ids: readonly number[], reader: Reader], ArticleRow>(
  'articles_by_id',
  `${selectArticle(ARTICLE_STAMP)} from ${articleSource('all_articles')} ${JOIN_STAMP}
   where a.id = any($1::bigint[]) and ${readableBy('$2::reader')}`,
  unpackArticle,
);

/** Of a private article, only what was public: `t` is its text, if it has changed since, and otherwise `u` the article as it is. */
const AS_IT_WAS_PUBLIC = {
  title: 'coalesce(t.title, a.title)',
  beginning: `left(coalesce(t.content, a.content), ${EXCERPT_SOURCE_LENGTH})`,
  content: 'null',
  tags: 'coalesce(t.tags, w.tags)',
  slug: `coalesce(u.slug, p.first_slug, 'article')`,
  ...metadataAsRevised(
    (name) => `case when t.title is null then a.${name} else t.${name} end`,
    (name) => `u.${name}`,
  ),
  categoryId: 'k.id',
  wordCount: 'u.word_count',
  readingMinutes: 'u.reading_minutes',
  excerpt: 'u.excerpt',
  image: 'u.image',
  imageWidth: 'u.image_width',
  imageHeight: 'u.image_height',
  imageAlt: 'u.image_alt',
  seriesId: 'u.series_id',
  translations: 'array[]::json[]',
  aiSummary: 'u.ai_summary',
  commentCount: 'p.comment_count',
  updatedAt: `coalesce(u.updated_at, a.private_at) at time zone 'UTC'`,
} satisfies Partial<Record<keyof typeof ARTICLE.columns, string>>;

/** Those of some articles that were removed, for a moderator, as they were public (docs/decisions/removal.md). */
export const REMOVED_ARTICLES_BY_ID = statement<[ids: readonly number[], reader: Reader], ArticleRow>(
  'removed_articles_by_id',
  `select json_build_array(${ARTICLE.packed(AS_IT_WAS_PUBLIC)})::text as packed, coalesce(t.content, a.content) as content,
     ${ARTICLE_STAMP} as stamp
   from all_articles a join members m on m.id = a.member_id
     left join lateral public_revision(a.id, a.private_revision) t on true
     left join lateral (select a.*) u on a.revision = a.private_revision and t.title is null
     cross join lateral public_remains(a.id, a.private_at) p
     join categories k on k.id = coalesce(u.category_id, (
       select d.id from categories d where d.member_id = a.member_id and d.is_default))
     ${JOIN_SHOWN} ${JOIN_STAMP}
   where a.id = any($1::bigint[]) and ${isModerated('$2::reader')}`,
  (row) => {
    const article = unpackArticle(row);
    // Of a text that has changed since, as of one that is not rendered.
    return article.wordCount === null ? Object.assign(article, countWords(article.content)) : article;
  },
);

/** The article that has this slug, or had it, if the reader sees it. */
export const ARTICLE_BY_SLUG = statement<[slug: string, reader: Reader], ArticleRow>(
  'article_by_slug',
  `${selectArticle(SLUG_STAMP)}
   from ${articleSource('all_articles')} ${JOIN_STAMP} join article_slugs s on s.article_id = a.id
   where s.slug = $1 and ${readableBy('$2::reader')}`,
  unpackArticle,
);

export interface ArticleLink {
  id: number;
  slug: string;
  title: string;
}

/** The next public article of the same author in the order of the index. */
const neighbor = (comparison: string, direction: string) => `(
  select json_build_object('id', b.id, 'slug', b.slug, 'title', b.title) from articles b
  where b.member_id = a.member_id and (b.created_at, b.id) ${comparison} (a.created_at, a.id)
  order by b.created_at ${direction}, b.id ${direction} limit 1)`;

export const NEIGHBORS = statement<
  [articleId: number, reader: Reader],
  { previous: ArticleLink | null; next: ArticleLink | null }
>(
  'article_neighbors',
  `select ${neighbor('<', 'desc')} as previous, ${neighbor('>', 'asc')} as next
   from all_articles a where a.id = $1 and ${readableBy('$2::reader')}`,
);
