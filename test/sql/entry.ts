/** Texts of SQL, of statements and of the schema: their digest is committed, so that a change of any of them is seen. */
import { createHash } from 'node:crypto';
import { format } from 'sql-formatter';

export interface Entry {
  /** Of a statement, the path of its source file in `src`, without its extension; of a definition, `schema/` and its subject. */
  file: string;
  /** Unique in the file. */
  title: string;
  text: string;
  /** The formatted lines of a statement, or of the body of a function or a view. */
  lines: number;
  /** Of a definition: the comment before it, and the step of the migrations that wrote it last. */
  comment?: string;
  step?: string;
}

export const nameOf = ({ file, title }: Entry): string => `${file}: ${title}`;

export function formatted(sql: string): string {
  return format(sql, { language: 'postgresql', expressionWidth: 120 });
}

export const linesOf = (text: string): number => text.trim().split('\n').length;

/** A line for each text: the beginning of its SHA-256, and its name. */
export function digestOf(entries: readonly Entry[]): string {
  return entries
    .map((entry) => ({ name: nameOf(entry), hash: hashOf(entry) }))
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name))
    .map(({ name, hash }) => `${hash} ${name}\n`)
    .join('');
}

/** @returns the texts that are not in the digest, with their names before them; empty if it is current */
export function differences(entries: readonly Entry[], digest: string): string {
  const hashes = new Map(
    digest
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(LENGTH + 1), line.slice(0, LENGTH)]),
  );
  const names = new Set(entries.map(nameOf));
  const gone = [...hashes.keys()].filter((name) => !names.has(name));
  const other = entries.filter((entry) => hashes.get(nameOf(entry)) !== hashOf(entry));
  return [
    ...gone.map((name) => `-- removed: ${name}\n`),
    ...other.map((entry) => `-- ${hashes.has(nameOf(entry)) ? 'changed' : 'added'}: ${nameOf(entry)}\n${entry.text}\n`),
  ].join('\n');
}

const LENGTH = 8;

function hashOf({ text }: Entry): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}
