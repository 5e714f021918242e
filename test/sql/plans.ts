/**
 * Plans all statements as a connection of the service does, with the statistics of a journal of a million articles and ten million comments, and prints those that
 * would read a large table, or a large part of it, for a few rows: with the costs of the service, and with those of a PostgreSQL server that nobody has configured.
 */
import pg from 'pg';
import { allStatements, type Found } from './statements.js';

/** The journal has a thousandth of the rows: statistics and files are enlarged. The files have holes, which no plan reads. */
const JOURNAL = { articles: 1_000, comments: 10_000, members: 100 };
const FACTOR = 1_000;
/** Blocks of a file of PostgreSQL. */
const MAX_BLOCKS = 131_072;
/** Rows of a large table. */
const LARGE = 100_000;

/** Of the service, and the default of PostgreSQL. */
const RANDOM_PAGE_COSTS = [1.1, 4];

/** Rows of further members and articles, since the first ones have everything in this journal. */
const FURTHER_ROWS = `
  update members set role = 'MEMBER';
  insert into held_comments (id, article_id, member_id, content, received_by)
    select nextval(pg_get_serial_sequence('comments', 'id')), id, 1 + (id + 3) % 90, 'Owl', member_id from articles where id % 5 = 3 and member_id <> 1 + (id + 3) % 90;
  insert into share_links (token_hash, member_id, article_id, expires_at) select sha256(key::text::bytea), member_id, id, now() + interval '1 day'
    from all_articles where id % 5 = 4;
  insert into bookmarks (member_id, article_id) select 1 + n % 97, 1 + n * 7 % 1000 from generate_series(1, 500) n on conflict do nothing;
  insert into follows (follower_id, member_id) select 1 + n % 97, 2 + n * 7 % 99 from generate_series(1, 500) n where n % 97 <> 1 + n * 7 % 99 on conflict do nothing;
  insert into blocks (member_id, blocked_id) select 1 + n % 97, 2 + n * 7 % 99 from generate_series(1, 300) n where n % 97 <> 1 + n * 7 % 99 on conflict do nothing;
  insert into notifications (member_id, type, article_id, actor_id) select 2 + n % 98, 'ARTICLE', 1 + n, 1 from generate_series(1, 900) n on conflict do nothing;
  insert into images (member_id, key, width, height, bytes) select 1 + n % 97, md5('of ' || n), 8, 6, 9 from generate_series(1, 400) n;
  insert into series (member_id, title) select 1 + n % 97, 'Of ' || n from generate_series(1, 200) n;
  insert into draft_revisions (draft_id, number, title, content, tags, created_at)
    select id, n, 'Owl', 'Fog', '{}', now() from drafts, generate_series(30, 33) n where id <= 100;
  insert into article_revisions (article_id, number, title, content, tags, created_at)
    select id, n, 'Owl', 'Fog', '{}', now() from all_articles, generate_series(30, 33) n where id <= 200;
  insert into article_mentions (article_id, member_id, names) select 1 + n, 1 + n % 97, '{owl}' from generate_series(1, 400) n;
  insert into spam_labels (content, is_spam, member_id) select 'Owl', true, 1 + n % 97 from generate_series(1, 200) n;
  update moderation_cases set opened_at = null where id % 20 > 0;
  set local session_replication_role = replica;
  update all_articles set series_id = 21 + id % 100, series_position = id where id > 500;
`;

/** Statements that read much by intention, by the beginnings of their files or names. */
const READ_MUCH: Readonly<Record<string, string>> = {
  'cli/': 'subcommands, some of which read the whole journal',
  'export/': 'archives, which contain everything of a member or of the journal',
  'import/': 'runs once, with all articles of a series or a member',
  count_moderation_queue: 'counts entries up to a limit',
  moderation_queue: 'leaves out the entries of the moderator from the oldest ones',
  sitemap_part: 'leaves out the private articles of a range',
};

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  'Plan Rows': number;
  'Parent Relationship'?: string;
  'Subplan Name'?: string;
  Plans?: PlanNode[];
}

// After `statements.js`, which finds the statements of the modules that are imported from then on.
const { loadJournal } = await import('../../bench/growth-data.js');
const { migrateJobs } = await import('../../src/platform/database/migrate-queue.js');
const [url = ''] = process.argv.slice(2);
await migrateJobs(url);
await loadJournal(url, JOURNAL);
const client = new pg.Client({ connectionString: url });
await client.connect();
try {
  await client.query(FURTHER_ROWS);
  for (let taken = 1; taken > 0; )
    taken = (await client.query<{ taken: number }>('select number_changes(10000) as taken')).rows[0]?.taken ?? 0;
  await client.query('vacuum analyze');
  const large = await enlarge();
  await client.query("set plan_cache_mode = force_generic_plan; set jit = off; set work_mem = '32MB'");
  const statements = (await allStatements()).filter(({ text }) =>
    /^\s*(?:select|insert|update|delete|with)\b/i.test(text),
  );
  for (const cost of RANDOM_PAGE_COSTS) {
    await client.query(`set random_page_cost = ${cost}`);
    for (const one of statements) {
      const faults = faultsIn(await planOf(one), large);
      const isIntended = Object.keys(READ_MUCH).some((begin) => one.file.startsWith(begin) || one.title === begin);
      if (faults.length > 0 && !isIntended)
        process.stdout.write(`${one.file}, ${one.title}, random_page_cost ${cost}: ${faults.join('; ')}\n`);
    }
  }
} finally {
  await client.end();
}

/** Multiplies the rows and blocks of tables and their indexes, and the numbers of distinct values. @returns the large tables and indexes */
async function enlarge(): Promise<Set<string>> {
  const { rows } = await client.query<{ oid: number; name: string; path: string; blocks: number; tuples: number }>(
    `select c.oid::integer, c.relname as name, pg_relation_filepath(c.oid) as path, c.reltuples * ${FACTOR} as tuples,
       least(${MAX_BLOCKS}, pg_relation_size(c.oid) / 8192 * ${FACTOR})::integer as blocks
     from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and t.reltuples > 16`,
  );
  for (const { oid, path, blocks, tuples } of rows) {
    await client.query(`copy (select where false) to program 'dd of=${path} bs=8192 seek=${blocks} count=0 2>&1'`);
    await client.query(
      `update pg_class set reltuples = ${tuples}, relpages = ${blocks}, relallvisible = least(relallvisible * ${FACTOR}, ${blocks}) where oid = ${oid}`,
    );
  }
  await client.query(`update pg_statistic s set stadistinct = -s.stadistinct * ${FACTOR} / c.reltuples from pg_class c
    where c.oid = s.starelid and c.oid = any('{${rows.map(({ oid }) => oid)}}') and s.stadistinct > 12`);
  return new Set(rows.filter(({ tuples }) => tuples >= LARGE).map(({ name }) => name));
}

async function planOf({ title, text }: Found): Promise<PlanNode> {
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  const values = count > 0 ? `(${Array.from({ length: count }, () => 'null').join(', ')})` : '';
  try {
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (verbose, format json) execute planned${values}`,
    );
    await client.query('deallocate planned');
    return rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode;
  } catch (error) {
    throw new Error(`${title}: ${(error as Error).message}`);
  }
}

/** What the plan reads that is not bounded by a key or a limit. */
function faultsIn(node: PlanNode, large: ReadonlySet<string>): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '', Plans: children = [] } = node;
  const own = JSON.stringify({ ...node, Plans: undefined });
  const hashed = children.filter((child) => own.includes(`hashed ${child['Subplan Name']})`)).flatMap(scansIn);
  return [
    ...(type === 'Seq Scan' && large.has(table) ? [`reads ${table}`] : []),
    ...(/^Index/.test(type) && !node['Index Cond'] && node.Filter && large.has(index) ? [`reads ${index}`] : []),
    ...(/^(?:Hash|Merge) Join$/.test(type) && children.some((child) => child['Plan Rows'] >= LARGE)
      ? [`a ${type} of ${children.map((child) => child['Plan Rows'])} rows`]
      : []),
    // With an array, as many rows as that has.
    ...hashed
      .filter((scan) => large.has(scan['Relation Name'] ?? '') && !scan['Index Cond']?.includes('ANY'))
      .map((scan) => `hashes rows of ${scan['Relation Name']}`),
    ...children.flatMap((child) => faultsIn(child, large)),
  ];
}

/** Without those of values that are read once. */
function scansIn(node: PlanNode): PlanNode[] {
  const children = (node.Plans ?? []).filter((child) => child['Parent Relationship'] !== 'InitPlan');
  return [...(node['Relation Name'] ? [node] : []), ...children.flatMap(scansIn)];
}
