/**
 * All SQL statements, each with the types that PostgreSQL finds for its parameters and results. Preparing a statement also checks it against
 * the schema. This module has to be imported before any that declares statements.
 */
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Database } from '../../src/platform/database/pool.js';
import { declarations, type PreparedText } from '../../src/platform/database/statement.js';
import { type Entry, formatted, linesOf } from './entry.js';
import type { Sample } from './samples.js';

const DIST = new URL('../../', import.meta.url);
const SOURCE = /dist\/src\/(.+?)\.js/;

export type Found = Pick<Entry, 'file' | 'title' | 'text'>;

const declared = new Map<string, Found>();
declarations.declared = ({ name, text }) => {
  const callers = (new Error().stack ?? '').split('\n').flatMap((line) => SOURCE.exec(line)?.[1] ?? []);
  const file = callers.find((caller) => caller !== 'platform/database/statement') ?? '';
  declared.set(name, { file, title: name, text });
};

/** @param client connected to a migrated database */
export async function statementsOf(client: pg.Client): Promise<Entry[]> {
  const entries: Entry[] = [];
  const found = await allStatements();
  for (const { file, title, text } of found.sort((a, b) => compare(a.file, b.file) || compare(a.title, b.title))) {
    const body = formatted(text);
    entries.push({ file, title, text: `${await typesOf(client, title, text)}\n${body};`, lines: linesOf(body) });
  }
  return entries;
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Imports each module that declares statements, and composes the samples. */
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
    await client.query(`prepare found as ${text}`);
  } catch (error) {
    throw new Error(`${title}: ${(error as Error).message}`);
  }
  const { rows } = await client.query<{ parameters: string; results: string | null }>(
    `select array_to_string(parameter_types, ', ') as parameters, array_to_string(result_types, ', ') as results from pg_prepared_statements where name = 'found'`,
  );
  await client.query('deallocate found');
  return `-- (${rows[0]?.parameters}) returns (${rows[0]?.results ?? ''})`;
}
