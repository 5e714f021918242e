/** Everything that is public, as lines of JSON: members, articles, comments, each as the REST interface shows them. */

import { type Statement, statement } from '../../database/statement.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../../models/article.js';
import { COMMENTS_BY_ID, type CommentRow } from '../../models/comment.js';
import { MEMBERS_BY_ID, type MemberRow } from '../../models/member.js';
import { VERSION } from '../../version.js';
import { pages, type Snapshot } from './snapshot.js';

export interface JournalCounts {
  members: number;
  articles: number;
  comments: number;
}

/** Addresses: of the service, and of an image by its key. */
export interface Addresses {
  publicUrl: string;
  imageUrl(key: string): string;
}

/** Goes up when a field changes its meaning or goes away. */
const FORMAT = 1;

/**
 * The first line says what this is, the last one how much came before it: without it a file is cut off. Everything is in
 * the order of ids and nothing tells the time, so that the same journal gives the same bytes.
 *
 * @param counts goes up with every line
 */
export async function* journalLines(
  snapshot: Snapshot,
  { publicUrl, imageUrl }: Addresses,
  counts: JournalCounts,
): AsyncGenerator<string> {
  yield line({ type: 'journal', format: FORMAT, generator: `Daybook ${VERSION}`, url: publicUrl });
  for await (const rows of rowsOf(snapshot, MEMBERS)) {
    yield rows.map((row) => line(memberRecord(row, imageUrl))).join('');
    counts.members += rows.length;
  }
  for await (const rows of rowsOf(snapshot, ARTICLES)) {
    yield rows.map((row) => line(articleRecord(row, imageUrl))).join('');
    counts.articles += rows.length;
  }
  for await (const rows of rowsOf(snapshot, COMMENTS)) {
    yield rows.map((row) => line(commentRecord(row))).join('');
    counts.comments += rows.length;
  }
  yield line({ type: 'end', ...counts });
}

interface Kind<Row> {
  ids: Statement<{ id: number }>;
  /** Rows by id, in no order. */
  rows: Statement<Row>;
  /** How many are held in memory at once: an article may have 100,000 characters. */
  atOnce: number;
}

const MEMBERS = kindOf('members', MEMBERS_BY_ID, 500);
const ARTICLES = kindOf('articles', ARTICLES_BY_ID, 50);
const COMMENTS = kindOf('comments', COMMENTS_BY_ID, 500);

function kindOf<Row>(table: string, rows: Statement<Row>, atOnce: number): Kind<Row> {
  const ids = `select id from ${table} where id > $1 order by id limit $2`;
  return { ids: statement(`export_${table}`, ids), rows, atOnce };
}

async function* rowsOf<Row extends { id: number }>(
  snapshot: Snapshot,
  { ids, rows, atOnce }: Kind<Row>,
): AsyncGenerator<Row[]> {
  for await (const page of pages(snapshot, ids, atOnce)) {
    const found = await snapshot.read(rows, [page.map(({ id }) => id)]);
    yield found.sort((a, b) => a.id - b.id);
  }
}

/** Each field by its name: what is private cannot slip in with a new column. */
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

type ImageUrl = Addresses['imageUrl'];

function imageOf(key: string | null, imageUrl: ImageUrl): string | null {
  return key && imageUrl(key);
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
