/**
 * All migrations in their order: the folder 0001, which creates the schema, and then the numbered files beside it. A released migration never
 * changes; a later one corrects it.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Migration } from '../src/platform/database/migration.js';

/** The SQL of the first migration, which is not compiled. */
const FIRST = new URL('../../migrations/0001/', import.meta.url);

const files = (await readdir(FIRST)).sort();
const first: Migration = {
  name: '0001',
  locks: {},
  up: await Promise.all(files.map((file) => readFile(new URL(file, FIRST), 'utf8'))),
};

const compiled = (await readdir(new URL('.', import.meta.url))).filter((name) => /^\d{4}-[\w-]+\.js$/.test(name));
const modules: { migration: Migration }[] = await Promise.all(compiled.sort().map((name) => import(`./${name}`)));

export const migrations: readonly Migration[] = [first, ...modules.map(({ migration }) => migration)];
