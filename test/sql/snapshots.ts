/**
 * Snapshots of all SQL statements, so that the diff of a change shows the SQL that it changes: a file for each source file, with the types that
 * PostgreSQL finds for parameters and results. Preparing a statement also checks it against the schema.
 */
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { format } from 'sql-formatter';
import type { Database } from '../../src/platform/database/pool.js';
import { declarations, type PreparedText } from '../../src/platform/database/statement.js';
import type { Sample } from './samples.js';

const DIST = new URL('../../', import.meta.url);
const SOURCE = /dist\/src\/(.+?)\.js/;

export interface Found {
  /** Path of the source file in `src`, without its extension. */
  file: string;
  title: string;
  text: string;
}

const declared = new Map<string, Found>();
declarations.declared = ({ name, text }) => {
  const callers = (new Error().stack ?? '').split('\n').flatMap((line) => SOURCE.exec(line)?.[1] ?? []);
  const file = callers.find((caller) => caller !== 'platform/database/statement') ?? '';
  declared.set(name, { file, title: name, text });
};

/** The contents of the files by their paths in `test/sql`. @param url of a migrated database */
export async function snapshots(url: string): Promise<Record<string, string>> {
  const found = await allStatements();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const files = new Map<string, string[]>();
  try {
    for (const { file, title, text } of found.sort((a, b) => compare(a.file, b.file) || compare(a.title, b.title))) {
      const types = await typesOf(client, title, text);
      const written = [`-- ${title}`, types, `${format(text, { language: 'postgresql', expressionWidth: 120 })};`];
      const path = `${file}.sql`;
      files.set(path, [...(files.get(path) ?? []), `${written.join('\n')}\n`]);
    }
  } finally {
    await client.end();
  }
  return Object.fromEntries([...files].map(([path, statements]) => [path, statements.join('\n')]));
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Imports each module that declares statements. This module has to be imported before any of them. */
export async function allStatements(): Promise<Found[]> {
  const paths = await readdir(new URL('src/', DIST), { recursive: true });
  for (const path of paths.filter((one) => one.endsWith('.js')).sort())
    if (/\bstatement\(/.test(await readFile(new URL(`src/${path}`, DIST), 'utf8')))
      await import(new URL(`src/${path}`, DIST).href);
  const { SAMPLES } = await import('./samples.js');
  const composed: Found[] = [];
  for (const [file, samples] of Object.entries<Readonly<Record<string, Sample>>>(SAMPLES))
    for (const [title, sample] of Object.entries(samples)) {
      const query = async ({ text, isComposed }: PreparedText) => {
        if (isComposed) composed.push({ file, title, text });
        return [];
      };
      await sample({ query } as unknown as Database);
    }
  // Some samples declare the statements that they execute.
  return [...declared.values(), ...composed];
}

/** @throws Error with the title of a statement that PostgreSQL rejects */
async function typesOf(client: pg.Client, title: string, text: string): Promise<string> {
  if (!/^\s*(?:select|insert|update|delete|with)\b/i.test(text)) return '-- not prepared';
  try {
    await client.query(`prepare snapshot as ${text}`);
  } catch (error) {
    throw new Error(`${title}: ${(error as Error).message}`);
  }
  const { rows } = await client.query<{ parameters: string; results: string | null }>(
    `select array_to_string(parameter_types, ', ') as parameters, array_to_string(result_types, ', ') as results from pg_prepared_statements where name = 'snapshot'`,
  );
  await client.query('deallocate snapshot');
  return `-- (${rows[0]?.parameters}) returns (${rows[0]?.results ?? ''})`;
}
