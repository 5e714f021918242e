/** Articles and drafts as Markdown files with names, of all members or of one. */
import { ARTICLE, ARTICLES_BY_ID, type ArticleRow, articleSource } from '../models/article/article.js';
import { type MetadataRow, metadataIn } from '../models/article/metadata.js';
import { approximateExcerpt } from '../models/article/text.js';
import { TRANSLATION_KEYS } from '../models/article/translation.js';
import { DRAFT, type DraftRow, draftSource } from '../models/draft/draft.js';
import { ANONYMOUS } from '../models/reader.js';
import { toDate } from '../platform/database/columns.js';
import { type Statement, statement } from '../platform/database/statement.js';
import { markdownFile } from '../services/rendering/markdown-file.js';
import { FileNames } from './file-names.js';
import { escapeName, escapeShortcodes } from './generator-safe.js';
import { replaceImages } from './image-references.js';
import { pagesByTime, type Snapshot } from './snapshot.js';

/** The folders of texts. Names are unique in all of them together, so that `comments` has one file for each. */
export type TextFolder = 'articles' | 'private' | 'drafts';

export interface Text {
  /** Of the article or draft. */
  id: number;
  key: string;
  folder: TextFolder;
  /** Of the file, without its extension. */
  name: string;
  title: string;
  slug: string | null;
  /** The slugs that lead to it besides. */
  formerSlugs: readonly string[];
  author: string;
  category: string | null;
  tags: readonly string[];
  series: ArticleInSeries | null;
  metadata: MetadataRow;
  translationKey: string | null;
  excerpt: string | null;
  /** The storage key. */
  image: string | null;
  imageAlt: string | null;
  content: string;
  /** Of a draft. */
  publishedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** @param pathOf the path of an image relative to the file, by its name in the store; undefined: the content keeps its address */
export function markdownOf(text: Text, pathOf: (name: string) => string | undefined): string {
  const {
    title,
    slug,
    formerSlugs,
    author,
    category,
    tags,
    series,
    metadata,
    translationKey,
    excerpt,
    imageAlt,
    publishedAt,
    createdAt,
    updatedAt,
    folder,
  } = text;
  const content = replaceImages(text.content, pathOf);
  const safe = escapeShortcodes(content);
  const safeCategory = category === null ? [] : [escapeName(category)];
  const safeTags = tags.map(escapeName);
  const isChanged = safeCategory.some((name) => name !== category) || safeTags.some((name, at) => name !== tags[at]);
  const frontMatter = {
    title,
    date: createdAt,
    publishDate: publishedAt,
    lastmod: updatedAt,
    slug,
    aliases: formerSlugs,
    author,
    categories: safeCategory,
    tags: safeTags,
    series,
    metadata,
    translationKey,
    excerpt,
    image: (text.image && pathOf(`${text.image}.webp`)) ?? null,
    imageAlt,
    draft: folder !== 'articles',
    key: text.key,
    escaped: isChanged || safe !== content,
  };
  return markdownFile(frontMatter, safe);
}

/** A text before it is read. `rank` orders texts of one second. */
interface Listed {
  id: number;
  createdAt: Date;
  slug: string | null;
  title: string;
  rank: string;
}

type List<Values extends readonly unknown[]> = Statement<
  [...Values, lastTime: Date | '-infinity', lastId: number, size: number],
  Listed
>;

/**
 * What distinguishes texts, as it is after an import too: without ids, parts of seconds, and addresses of images.
 * @param row an alias of the table
 */
const listed = (
  row: string,
) => `${row}.id, ${row}.created_at as "createdAt", ${row}.slug, ${row}.title, concat_ws(chr(31),
  ${row}.slug, ${row}.title, m.nickname, date_trunc('second', ${row}.updated_at), left(substring(${row}.content from '^[^[(<]*'), 200)) as rank`;

function listStatement<Values extends readonly unknown[]>(name: string, source: string, condition: string, values = 0) {
  const [time, id, size] = [1, 2, 3].map((index) => `$${values + index}`);
  return statement(
    `export_markdown_${name}`,
    `select ${listed('x')} from ${source} x join members m on m.id = x.member_id
     where ${condition} and (x.created_at, x.id) > (${time}, ${id}) order by x.created_at, x.id limit ${size}`,
  ) as List<Values>;
}

const ALL: Readonly<Record<TextFolder, List<[]>>> = {
  articles: listStatement('articles', 'articles', 'true'),
  // An import could not tell removed ones from others.
  private: listStatement('private', 'all_articles', 'x.is_private and x.removed_at is null'),
  drafts: listStatement('drafts', 'drafts', 'true'),
};

const OF_MEMBER: Readonly<Record<TextFolder, List<[memberId: number]>>> = {
  articles: listStatement('own_articles', 'articles', 'x.member_id = $1', 1),
  private: listStatement('own_private', 'all_articles', 'x.is_private and x.member_id = $1', 1),
  drafts: listStatement('own_drafts', 'drafts', 'x.member_id = $1', 1),
};

const PRIVATE_ARTICLES = statement<[ids: readonly number[]], ArticleRow>(
  'export_private_articles',
  `select ${ARTICLE.select}, '' as stamp from ${articleSource('all_articles')} where a.id = any($1::bigint[]) and a.is_private`,
);

interface ArticleInSeries {
  id: number;
  title: string;
  position: number;
}

const SERIES_OF_ARTICLES = statement<[articleIds: readonly number[]], ArticleInSeries>(
  'export_series_of_articles',
  `select a.id, s.title, a.series_position as position from all_articles a join series s on s.id = a.series_id
   where a.id = any($1::bigint[])`,
);

/** Front matter with more lines could not be imported. */
const MAX_FORMER_SLUGS = 200;

const FORMER_SLUGS = statement<[articleIds: readonly number[]], { id: number; slugs: string[] }>(
  'export_former_slugs',
  `select a.id, (array_agg(s.slug::text order by s.slug))[1:${MAX_FORMER_SLUGS}] as slugs
   from all_articles a join article_slugs s on s.article_id = a.id and s.slug <> a.slug where a.id = any($1::bigint[]) group by a.id`,
);

type DraftToExport = DraftRow & { content: string; authorName: string };

const DRAFTS = statement<[ids: readonly number[]], DraftToExport>(
  'export_markdown_draft_texts',
  `select ${DRAFT.select}, d.content, m.nickname as "authorName"
   from ${draftSource('drafts d', 'true')} join members m on m.id = d.member_id where d.id = any($1::bigint[])`,
);

/** Page sizes. A text may have 100,000 characters. */
const LISTED_ROWS = 1_000;
const TEXT_ROWS = 10;

/**
 * Texts with their names: those of each folder in the order of their creation. The order of texts of one second follows from their content, so that
 * an export, an import of it into an empty service and another export result in the same names.
 * @param memberId null: those of all members
 */
export async function* textsIn(
  snapshot: Snapshot,
  folders: readonly TextFolder[],
  memberId: number | null,
): AsyncGenerator<Text> {
  const names = new FileNames();
  const isPublic = !folders.includes('private');
  for (const folder of folders) {
    const pages =
      memberId === null
        ? pagesByTime(snapshot, ALL[folder], LISTED_ROWS)
        : pagesByTime(snapshot, OF_MEMBER[folder], LISTED_ROWS, memberId);
    for await (const batch of inBatches(inRankOrder(pages), TEXT_ROWS)) {
      const texts = await readTexts(
        snapshot,
        folder,
        batch.map(({ id }) => id),
        isPublic,
      );
      for (const row of batch) {
        const text = texts.get(row.id);
        if (text) yield { ...text, folder, name: names.add(row) };
      }
    }
  }
}

type Unnamed = Omit<Text, 'folder' | 'name'>;

async function readTexts(
  { read }: Snapshot,
  folder: TextFolder,
  ids: readonly number[],
  isPublic: boolean,
): Promise<Map<number, Unnamed>> {
  if (folder === 'drafts')
    return byId(
      (await read(DRAFTS, [ids])).map((row) => toText({ ...row, formerSlugs: [], series: null, translationKey: null })),
    );
  const articles =
    folder === 'articles' ? await read(ARTICLES_BY_ID, [ids, ANONYMOUS]) : await read(PRIVATE_ARTICLES, [ids]);
  const inSeries = articles.filter(({ seriesId }) => seriesId !== null).map(({ id }) => id);
  const series = byId(inSeries.length > 0 ? await read(SERIES_OF_ARTICLES, [inSeries]) : []);
  // In an export of public articles, the key of one without another public one would show that there is a private one.
  const hasKey = ({ language, translations }: ArticleRow) => (isPublic ? translations.length > 0 : language !== null);
  const translated = articles.filter(hasKey).map(({ id }) => id);
  const keys = byId(translated.length > 0 ? await read(TRANSLATION_KEYS, [translated]) : []);
  const former = byId(await read(FORMER_SLUGS, [ids]));
  const groupsOf = ({ id }: ArticleRow) => ({
    formerSlugs: former.get(id)?.slugs ?? [],
    series: series.get(id) ?? null,
    translationKey: keys.get(id)?.key ?? null,
  });
  return byId(articles.map((row) => articleText({ ...row, ...groupsOf(row) })));
}

function byId<Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

type ArticleToExport = ArticleRow & Pick<Text, 'formerSlugs' | 'series' | 'translationKey'>;

function articleText({ categoryName, excerpt, beginning, ...row }: ArticleToExport): Unnamed {
  return toText({ ...row, category: categoryName, excerpt: excerpt ?? approximateExcerpt(beginning ?? '') });
}

type Source = Pick<
  Unnamed,
  | 'id'
  | 'key'
  | 'title'
  | 'slug'
  | 'formerSlugs'
  | 'category'
  | 'tags'
  | 'series'
  | 'translationKey'
  | 'image'
  | 'imageAlt'
  | 'content'
> &
  MetadataRow & {
    authorName: string;
    excerpt?: string | null;
    publishedAt?: Date | null;
    createdAt: Date | string;
    updatedAt: Date | string;
  };

function toText({
  id,
  title,
  slug,
  formerSlugs,
  category,
  tags,
  series,
  image,
  imageAlt,
  content,
  ...row
}: Source): Unnamed {
  return {
    id,
    key: row.key,
    title,
    slug,
    formerSlugs,
    author: row.authorName,
    category,
    tags,
    series,
    metadata: metadataIn(row),
    translationKey: row.translationKey,
    excerpt: row.excerpt ?? null,
    publishedAt: row.publishedAt ?? null,
    image,
    imageAlt,
    content,
    createdAt: toDate(row.createdAt),
    updatedAt: toDate(row.updatedAt),
  };
}

async function* inRankOrder(pages: AsyncIterable<Listed[]>): AsyncGenerator<Listed> {
  const secondOf = ({ createdAt }: Listed) => Math.floor(createdAt.getTime() / 1000);
  let sameSecond: Listed[] = [];
  for await (const rows of pages) {
    for (const row of rows) {
      const [first] = sameSecond;
      if (first && secondOf(first) !== secondOf(row)) {
        yield* sameSecond.sort(byRank);
        sameSecond = [];
      }
      sameSecond.push(row);
    }
  }
  yield* sameSecond.sort(byRank);
}

function byRank(a: Listed, b: Listed): number {
  if (a.rank === b.rank) return a.id - b.id;
  return a.rank < b.rank ? -1 : 1;
}

async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
