/** The drafts table: texts that only their authors see, until they are published. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Table } from 'sequelize-typescript';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { MAX_IMAGE_ALT_LENGTH, MAX_TITLE_LENGTH } from '../article/article.js';
import { Metadata, metadataColumns, metadataSql } from '../article/metadata.js';
import { EXCERPT_SOURCE_LENGTH } from '../article/text.js';
import { hasAccessSql } from '../session/access.js';
import { RowTable } from '../table.js';

/** A check constraint of draft_counts, as the next one. */
export const MAX_DRAFTS = fixedLimit({
  area: 'Writing',
  about: 'Drafts of a member.',
  value: 200,
  error: 'DRAFT_LIMIT_REACHED',
});

export const MAX_DRAFT_BYTES = fixedLimit({
  area: 'Writing',
  about: 'Text in the drafts of a member and their revisions, in UTF-8.',
  value: 50 * 1024 * 1024,
  unit: 'bytes',
  error: 'DRAFT_LIMIT_REACHED',
});

@Table({ tableName: 'drafts' })
export class Draft extends Metadata<InferAttributes<Draft>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true }) declare id: number;
  @Column(DataType.UUID) declare key: string;
  @Column(DataType.BIGINT) declare memberId: number;
  /** The article that the draft is an edit of; null for a new one. */
  @Column(DataType.BIGINT) declare articleId: number | null;
  /** The revision of the article that the edit began with. */
  @Column(DataType.INTEGER) declare baseRevision: number | null;
  @Column(DataType.STRING(MAX_TITLE_LENGTH)) declare title: string;
  @Column(DataType.TEXT) declare content: string;
  @Column(DataType.BIGINT) declare categoryId: number | null;
  @Column(DataType.ARRAY(DataType.TEXT)) declare tags: string[];
  @Column(DataType.STRING(100)) declare slug: string | null;
  @Column(DataType.BOOLEAN) declare isPrivate: boolean;
  /** The uploaded image that becomes that of the article. */
  @Column(DataType.BIGINT) declare imageId: number | null;
  /** Alternative text of the image; empty: none, also in place of that of the article; null: that of the article, if its image stays. */
  @Column(DataType.STRING(MAX_IMAGE_ALT_LENGTH)) declare imageAlt: string | null;
  /** Whether the article loses its image. */
  @Column(DataType.BOOLEAN) declare removesImage: boolean;
  /** An article whose translation the article will be; null: as it is. */
  @Column(DataType.BIGINT) declare translationOf: number | null;
  /** Whether the article leaves its translations. */
  @Column(DataType.BOOLEAN) declare leavesTranslations: boolean;
  /** The time of publication that the article will have. */
  @Column(DataType.DATE) declare publishedAt: Date | null;
  @Column(DataType.DATE) declare publishAt: Date | null;
  /** The error key of the last scheduled publication. */
  @Column(DataType.TEXT) declare publicationError: string | null;
  /** Incremented by each change of the columns above, except the last two. */
  @Column(DataType.INTEGER) declare revision: number;
  @Column(DataType.DATE) declare createdAt: Date;
  @Column(DataType.DATE) declare updatedAt: Date;
}

export const DRAFTS = new RowTable(Draft, 'DRAFT_NOT_FOUND');

/** The readable columns of `draftSource`, except the text. */
export const DRAFT = new ColumnList({
  id: column<number>('d.id'),
  key: column<string>('d.key'),
  memberId: column<number>('d.member_id'),
  articleId: column<number | null>('d.article_id'),
  title: column<string>('d.title'),
  ...metadataColumns('d'),
  category: column<string | null>('n.category'),
  tags: column<string[]>('d.tags'),
  slug: column<string | null>('d.slug'),
  visibility: column<'PUBLIC' | 'PRIVATE'>(`case when d.is_private then 'PRIVATE' else 'PUBLIC' end`),
  /** The storage key of the image that the article will have. */
  image: column<string | null>('n.image'),
  imageWidth: column<number | null>('n.image_width'),
  imageHeight: column<number | null>('n.image_height'),
  imageAlt: column<string | null>('n.image_alt'),
  imageId: column<number | null>('d.image_id'),
  translationOf: column<number | null>('case when d.leaves_translations then 0 else n.translation_of end'),
  publishedAt: column<Date | null>('d.published_at'),
  publishAt: column<Date | null>('d.publish_at'),
  publicationError: column<string | null>('d.publication_error'),
  baseRevision: column<number | null>('d.base_revision'),
  revision: column<number>('d.revision'),
  createdAt: column<Date>('d.created_at'),
  updatedAt: column<Date>('d.updated_at'),
});

/** A draft; the text is null if it was not requested. */
export type DraftRow = Row<typeof DRAFT> & {
  content: string | null;
  /** The beginning of the content, in lists. */
  beginning?: string | null;
};

/**
 * @param drafts rows of drafts, with the alias `d`
 * @param seesPrivate as that of `draftExists`: otherwise the draft is shown as no translation of a private article
 */
export const draftSource = (drafts: string, seesPrivate: string): string => `${drafts}
    cross join lateral shown_with_draft(d.category_id, d.article_id, d.member_id, d.image_id, d.image_alt, d.removes_image, d.translation_of, ${seesPrivate}) n`;

/** SQL: whether a draft `d` exists for its author, who reads with an API token that may not see private articles unless `seesPrivate`. */
export const draftExists = (seesPrivate: string): string =>
  `(${seesPrivate} or not exists (select from all_articles p where p.id = d.article_id and p.is_private))`;

export const DRAFT_OF_MEMBER = statement<
  [id: number, memberId: number, seesPrivate: boolean],
  DraftRow & { content: string }
>(
  'draft_of_member',
  `select ${DRAFT.select}, d.content from ${draftSource('drafts d', '$3')} where d.id = $1 and d.member_id = $2 and ${draftExists('$3')}`,
);

/** The texts of drafts of one member by id, in no order. */
export const DRAFT_TEXTS = statement<[ids: readonly number[], memberId: number], { id: number; content: string }>(
  'draft_texts',
  'select id, content from drafts where id = any($1::bigint[]) and member_id = $2',
);

/**
 * The last change first; always at least one row, with only the total where the page is empty. All drafts of the member are sorted: an index by
 * the time of the last change would have to be written by each save.
 * @param isScheduled null: all drafts
 */
export const DRAFT_PAGE = statement<
  [
    memberId: number,
    seesPrivate: boolean,
    isScheduled: boolean | null,
    withContent: boolean,
    size: number,
    offset: number,
  ],
  (DraftRow | { id: null }) & { total: number }
>(
  'draft_page',
  `with listed as (
     select id, updated_at from drafts d
     where member_id = $1 and ${draftExists('$2')} and ($3::boolean is null or $3 = (publish_at is not null))
   )
   select ${DRAFT.select}, left(d.content, ${EXCERPT_SOURCE_LENGTH}) as beginning, case when $4 then d.content end as content, t.total
   from (select count(*) as total from listed) t
     left join (select id from listed order by updated_at desc, id desc limit $5 offset $6) p on true
     left join ${draftSource('drafts d on d.id = p.id', '$2')}
   order by d.updated_at desc, d.id desc`,
);

/** The article that a draft is started of, and the draft of the reader. */
export interface ArticleToDraft {
  memberId: number;
  isPrivate: boolean;
  isRemoved: boolean;
  /** Of the content, in UTF-8. */
  bytes: number;
  draftId: number | null;
}

export const ARTICLE_TO_DRAFT = statement<[articleId: number, memberId: number], ArticleToDraft>(
  'article_to_draft',
  `select a.member_id as "memberId", a.is_private as "isPrivate", a.removed_at is not null as "isRemoved", octet_length(a.content) as bytes, d.id as "draftId"
   from all_articles a left join drafts d on d.article_id = a.id and d.member_id = $2 where a.id = $1`,
);

/** Returns no row if the article does not belong to the member, was removed, or has a draft, or the session or API token has ended. */
export const START_DRAFT = statement<[articleId: number, memberId: number, credentialId: string], { id: number }>(
  'start_draft',
  `insert into drafts (member_id, article_id, base_revision, title, content, category_id, tags, is_private, ${metadataSql()})
   select a.member_id, a.id, a.revision, a.title, a.content, a.category_id,
     array(select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = a.id order by x.position),
     a.is_private, ${metadataSql('a')}
   from all_articles a where a.id = $1 and a.member_id = $2 and a.removed_at is null and ${hasAccessSql('$3')}
   on conflict (article_id) do nothing returning id`,
);
