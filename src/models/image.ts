/** The images table: images that members upload for the content of articles. Triggers maintain the references to them. */
import ms from 'ms';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../platform/database/columns.js';
import { statement } from '../platform/database/statement.js';
import { readableBy } from './article/article.js';
import type { Reader } from './reader.js';

/** Since the upload, or since the last reference was removed. */
export const UNREFERENCED_MS = fixedLimit({
  area: 'Images',
  error: null,
  value: ms('7d'),
  unit: 'ms',
  about: 'Time after which an uploaded image is removed if no article, draft or revision refers to it.',
});

/** The readable columns. */
const IMAGE = new ColumnList({
  id: column<number>('i.id'),
  memberId: column<number>('i.member_id'),
  key: column<string>('i.key'),
  width: column<number>('i.width'),
  height: column<number>('i.height'),
  createdAt: column<Date>('i.created_at'),
});

export type ImageRow = Row<typeof IMAGE>;

/** Newest first; always at least one row, with only the total where the page is empty. */
export const MEMBER_IMAGES = statement<
  [memberId: number, size: number, offset: number],
  (ImageRow | { id: null }) & { total: number }
>(
  'member_images',
  `select ${IMAGE.select}, t.total from (select count(*) as total from images where member_id = $1) t
   left join lateral (select * from images where member_id = $1 order by id desc limit $2 offset $3) i on true
   order by i.id desc`,
);

export const IMAGE_USAGE = statement<[memberId: number], { images: number; bytes: number }>(
  'image_usage',
  `select count(*) as images, coalesce(sum(bytes), 0)::bigint as bytes from images where member_id = $1`,
);

export const ADD_IMAGE = statement<
  [memberId: number, key: string, width: number, height: number, bytes: number],
  ImageRow
>(
  'add_image',
  `insert into images as i (member_id, key, width, height, bytes) values ($1, $2, $3, $4, $5) returning ${IMAGE.select}`,
);

export const LOCK_IMAGE = statement<[id: number, memberId: number], ImageRow>(
  'lock_image',
  `select ${IMAGE.select} from images i where i.id = $1 and i.member_id = $2 for update`,
);

/** An article of the owner that refers to the image; its id is null if the reader sees none of them. */
export const ARTICLE_WITH_IMAGE = statement<[imageId: number, memberId: number, reader: Reader], { id: number | null }>(
  'article_with_image',
  `select case when ${readableBy('$3::reader')} then a.id end as id from article_images r join all_articles a on a.id = r.article_id
   where r.image_id = $1 and a.member_id = $2 order by 1 nulls last limit 1`,
);

/** A draft of the owner that refers to the image. */
export const DRAFT_WITH_IMAGE = statement<[imageId: number, memberId: number], { id: number }>(
  'draft_with_image',
  `select id from drafts where image_ids @> array[$1::bigint] and image_ids <> '{}' and member_id = $2 limit 1`,
);

export const DELETE_IMAGE = statement<[id: number]>('delete_image', 'delete from images where id = $1');

/** The size of an image in an article, in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** The sizes of images by their keys; null if none exists. */
export const IMAGES_BY_KEY = statement<
  [keys: readonly string[]],
  { images: Readonly<Record<string, ImageSize>> | null }
>(
  'images_by_key',
  `select json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height)) as images
   from images i where i.key = any($1::text[])`,
);

/** An SQL expression: the images that the article with the id `articleId` refers to, as JSON by their keys; null if there are none. */
export function imagesOfArticle(articleId: string): string {
  return `(select json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height))
    from article_images r join images i on i.id = r.image_id where r.article_id = ${articleId})`;
}

const PLACED_IMAGES = `select profile_image as key from members where id = $1 and profile_image is not null
   union all select image from all_articles where member_id = $1 and image is not null`;

/** The profile image of a member, and the images beside the titles of articles. */
export const PLACED_IMAGES_OF_MEMBER = statement<[memberId: number], { key: string }>(
  'placed_images_of_member',
  PLACED_IMAGES,
);

/** With those for the content of articles. */
export const IMAGES_OF_MEMBER = statement<[memberId: number], { key: string }>(
  'images_of_member',
  `${PLACED_IMAGES}
   union all select key from images where member_id = $1`,
);

/** Returns no row if nothing references the image. */
export const USE_OF_IMAGE = statement<[key: string], { used: true }>(
  'use_of_image',
  `select true as used where exists (select from members where profile_image = $1)
                          or exists (select from all_articles where image = $1)
                          or exists (select from images where key = $1)`,
);

/**
 * Evaluates the conditions again after locking a row: an image that an article has begun to reference meanwhile stays. Rows that
 * other transactions have locked are skipped.
 */
export const DELETE_UNREFERENCED_IMAGES = statement<[olderThanMs: number, limit: number], { key: string }>(
  'delete_unreferenced_images',
  `delete from images where id = any (array(
     select id from images where unreferenced_at < now() - $1 * interval '1 millisecond'
     order by unreferenced_at limit $2 for update skip locked
   )) returning key`,
);
