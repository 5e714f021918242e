/** Reads imported rows by their ids in the export. */
import { QueryTypes } from 'sequelize';
import { type LoadOptions, loadExport } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import type { Database, Transaction } from '../../src/platform/database/pool.js';

/** With password-protected posts. */
export async function load(database: Database, path: string, options: LoadOptions = {}): Promise<Report> {
  const report = new Report();
  await loadExport(async () => database, path, report, { publishProtected: true, ...options });
  return report;
}

export async function rowsOf<Row extends object>(database: Database, sql: string): Promise<Row[]> {
  return database.sequelize.query<Row>(sql, { type: QueryTypes.SELECT });
}

/** The rows of a statement in the transaction. */
export function rowsIn<Row extends object>(db: Transaction, sql: string): Promise<Row[]> {
  return db.query<[], Row>({ name: '', text: sql }, []);
}

/** The number of rows of each table that an import writes to. */
export async function countRows(database: Database): Promise<Record<string, number>> {
  const tables = [
    'members',
    'categories',
    'all_articles',
    'drafts',
    'tags',
    'all_article_tags',
    'comments',
    'imported_records',
  ];
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await rowsOf<Record<string, number>>(database, `select ${counts.join(', ')}`);
  return row ?? {};
}

const UTC = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

export interface ImportedArticle {
  id: number;
  title: string;
  content: string;
  author: string;
  category: string;
  tags: string[];
  created: string;
  updated: string;
}

/** The article imported from post `key`. */
export async function articleOf(database: Database, key: number): Promise<ImportedArticle> {
  const [row] = await rowsOf<ImportedArticle>(
    database,
    `select a.id, a.title, a.content, m.nickname as author, k.name as category,
       array(select t.name from article_tags x join tags t on t.id = x.tag_id
             where x.article_id = a.id order by x.position)::text[] as tags,
       ${UTC('a.created_at')} as created, ${UTC('a.updated_at')} as updated
     from imported_records r join articles a on a.id = r.row_id join members m on m.id = a.member_id
     join categories k on k.id = a.category_id where r.kind = 'article' and r.key = '${key}'`,
  );
  if (!row) throw new Error(`post ${key} is not in the journal`);
  return row;
}

export interface ImportedComment {
  content: string;
  author: string;
  created: string;
  updated: string;
}

/** The comment imported from comment `key`. */
export async function commentOf(database: Database, key: number): Promise<ImportedComment> {
  const [row] = await rowsOf<ImportedComment>(
    database,
    `select c.content, m.nickname as author, ${UTC('c.created_at')} as created, ${UTC('c.updated_at')} as updated
     from imported_records r join comments c on c.id = r.row_id join members m on m.id = c.member_id
     where r.kind = 'comment' and r.key = '${key}'`,
  );
  if (!row) throw new Error(`comment ${key} is not in the journal`);
  return row;
}

/** The comments with export ids from `first` to `last`; a reply as `id < parent id`. */
export async function threads(database: Database, first: number, last: number): Promise<string[]> {
  const rows = await rowsOf<{ key: string; under: string | null }>(
    database,
    `select r.key, p.key as under from imported_records r join comments c on c.id = r.row_id
     left join imported_records p on p.kind = 'comment' and p.row_id = c.parent_id
     where r.kind = 'comment' and r.key::int between ${first} and ${last} order by r.key::int`,
  );
  return rows.map(({ key, under }) => (under === null ? key : `${key} < ${under}`));
}
