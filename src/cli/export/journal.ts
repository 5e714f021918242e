/** All public data as JSON Lines: members, articles and comments, with the fields of the REST API. */

import { statement } from '../../database/statement.js';
import { pages, type Snapshot } from '../../export/snapshot.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../../models/article/article.js';
import { COMMENTS_BY_ID, type CommentRow } from '../../models/comment/comment.js';
import { MEMBERS_BY_ID, type MemberRow } from '../../models/member/member.js';
import { VERSION } from '../../version.js';

export interface JournalCounts {
  members: number;
  articles: number;
  comments: number;
}

/** Public URLs: of the service, and of an image by its key. */
export interface Addresses {
  publicUrl: string;
  imageUrl(key: string): string;
}

/** Format version: incremented when a field changes its meaning or is removed. */
const FORMAT_VERSION = 1;

/**
 * The first line is a header (`journal`), the last one a trailer (`end`) with the counts: a file without it is truncated.
 * Records are ordered by id and there is no export time, so that the same data gives the same bytes.
 *
 * @param counts incremented after each page of rows
 */
export async function* journalLines(
  snapshot: Snapshot,
  { publicUrl, imageUrl }: Addresses,
  counts: JournalCounts,
): AsyncGenerator<string> {
  yield line({ type: 'journal', format: FORMAT_VERSION, generator: `Daybook ${VERSION}`, url: publicUrl });
  for (const { name, pagesIn } of KINDS) {
    for await (const records of pagesIn(snapshot, imageUrl)) {
      yield records.map(line).join('');
      counts[name] += records.length;
    }
  }
  yield line({ type: 'end', ...counts });
}

type ImageUrl = Addresses['imageUrl'];

const KINDS = [
  kindOf('members', (read, ids) => read(MEMBERS_BY_ID, [ids]), memberRecord, 500),
  // An article may have 100,000 characters.
  kindOf('articles', (read, ids) => read(ARTICLES_BY_ID, [ids]), articleRecord, 50),
  // As everyone sees them.
  kindOf('comments', (read, ids) => read(COMMENTS_BY_ID, [ids, []]), commentRecord, 500),
];

/** @param rows returns the rows for an array of ids, in any order @param pageRows page size, and so the number of rows in memory */
function kindOf<Row extends { id: number }>(
  name: keyof JournalCounts,
  rows: (read: Snapshot['read'], ids: readonly number[]) => Promise<Row[]>,
  toRecord: (row: Row, imageUrl: ImageUrl) => object,
  pageRows: number,
) {
  const ids = statement<[lastId: number, size: number], { id: number }>(
    `export_${name}`,
    `select id from ${name} where id > $1 order by id limit $2`,
  );
  async function* pagesIn(snapshot: Snapshot, imageUrl: ImageUrl): AsyncGenerator<object[]> {
    for await (const page of pages(snapshot, ids, pageRows)) {
      const details = await rows(
        snapshot.read,
        page.map(({ id }) => id),
      );
      yield details.sort((a, b) => a.id - b.id).map((row) => toRecord(row, imageUrl));
    }
  }
  return { name, pagesIn };
}

/** Lists each field explicitly, so that a new private column is not exported by accident. */
function memberRecord({ id, nickname, bio, profileImage, createdAt, updatedAt }: MemberRow, imageUrl: ImageUrl) {
  return { type: 'member', id, nickname, profileImg: imageOf(profileImage, imageUrl), bio, createdAt, updatedAt };
}

function articleRecord(row: ArticleRow, imageUrl: ImageUrl) {
  const { id, title, content, authorName, memberId, categoryName, categoryId, image, tags, commentCount } = row;
  const { aiSummary, version, createdAt, updatedAt } = row;
  const place = { author: authorName, memberId, category: categoryName, categoryId, tags };
  const articleImg = imageOf(image, imageUrl);
  const rest = { articleImg, aiSummary, commentCount, version, createdAt, updatedAt };
  return { type: 'article', id, title, content, ...place, ...rest };
}

function commentRecord({ id, articleId, parentId, content, authorName, memberId, createdAt, updatedAt }: CommentRow) {
  return { type: 'comment', id, articleId, parentId, content, author: authorName, memberId, createdAt, updatedAt };
}

function imageOf(key: string | null, imageUrl: ImageUrl): string | null {
  return key && imageUrl(key);
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
