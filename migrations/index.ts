/**
 * All migrations in their order: the numbered files of this folder. Long SQL of a migration is in the folder with its name.
 * A released migration never changes; a later one corrects it.
 */
import { readdir } from 'node:fs/promises';
import type { Migration } from '../src/platform/database/migration.js';

const compiled = (await readdir(new URL('.', import.meta.url)))
  .filter((name) => /^\d{4}-[\w-]+\.js$/.test(name))
  .sort();
// The compiler leaves the module of a file that was renamed or removed. A deployment may come without sources.
const sources = await readdir(new URL('../../migrations/', import.meta.url)).catch(() => null);
const names = compiled.filter((name) => sources?.includes(name.replace(/js$/, 'ts')) ?? true);
const modules: { migration: Migration }[] = await Promise.all(names.map((name) => import(`./${name}`)));

export const migrations: readonly Migration[] = modules.map(({ migration }) => migration);
