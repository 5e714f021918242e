/**
 * The texts about an article that its author writes as they are. What is declared here is a column of articles and drafts, a field of their requests and
 * responses, and part of exports and imports (CONTRIBUTING.md, "Adding a column of articles").
 */
import { Column, DataType, Model } from 'sequelize-typescript';
import { column, columnOf } from '../../platform/database/columns.js';
import { canonicalLanguage, MAX_LANGUAGE_LENGTH } from '../../platform/language-tag.js';

export const MAX_DESCRIPTION_LENGTH = 300;

/** The columns of `all_articles` and of `drafts`. */
export abstract class Metadata<Row extends object> extends Model<Row> {
  @Column(DataType.STRING(MAX_DESCRIPTION_LENGTH)) declare description: string | null;
  @Column(DataType.STRING(MAX_LANGUAGE_LENGTH)) declare language: string | null;
}

export interface DeclaredMetadata {
  readonly maxLength: number;
  /** Names in front matter: exports write the first, imports read all, in lower case. */
  readonly frontMatter: readonly [written: string, ...read: string[]];
  /** Whether revisions store it: then it is a column of `article_revisions` and `draft_revisions`, too. */
  readonly isRevised: boolean;
  /** The form in which a text is stored; null if it is none. */
  canonical?(text: string): string | null;
}

export const METADATA = {
  description: {
    maxLength: MAX_DESCRIPTION_LENGTH,
    frontMatter: ['description', 'summary', 'excerpt', 'subtitle'],
    isRevised: true,
  },
  language: {
    maxLength: MAX_LANGUAGE_LENGTH,
    frontMatter: ['language', 'lang'],
    isRevised: false,
    canonical: canonicalLanguage,
  },
} as const satisfies Readonly<Record<string, DeclaredMetadata>>;

export type MetadataName = keyof typeof METADATA;

/** Null: none. */
export type MetadataRow = { readonly [Name in MetadataName]: string | null };

/** Absent or null: unchanged. Empty: none. */
export type MetadataInput = { readonly [Name in MetadataName]?: string | null | undefined };

export const METADATA_NAMES = Object.keys(METADATA) as MetadataName[];

type RevisedName = {
  [Name in MetadataName]: (typeof METADATA)[Name]['isRevised'] extends true ? Name : never;
}[MetadataName];

export type RevisedMetadata = Pick<MetadataRow, RevisedName>;

export const REVISED_NAMES = METADATA_NAMES.filter((name): name is RevisedName => METADATA[name].isRevised);

/** Of some columns: an object with a value for each. */
function valuesBy<Name extends MetadataName, Value>(names: readonly Name[], of: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>;
}

/** The metadata of a row with more columns. */
export const metadataIn = (row: MetadataRow) => valuesBy(METADATA_NAMES, (name) => row[name]);

/** What changes a text into one with the metadata of a row. */
export const metadataInput = (row: Partial<MetadataRow>) => valuesBy(METADATA_NAMES, (name) => row[name] ?? '');

export const revisedInput = (row: RevisedMetadata) => valuesBy(REVISED_NAMES, (name) => row[name] ?? '');

/** Whether the metadata of two states differ, of which revisions exist. */
export const isRevised = (a: RevisedMetadata, b: RevisedMetadata) => REVISED_NAMES.some((name) => a[name] !== b[name]);

/** The given values for the columns. */
export function metadataOf(input: MetadataInput): Partial<MetadataRow> {
  const given = METADATA_NAMES.filter((name) => input[name] != null);
  return Object.fromEntries(given.map((name) => [name, input[name] || null]));
}

/** For a `ColumnList`. @param row an alias of the table */
export const metadataColumns = (row: string) =>
  valuesBy(METADATA_NAMES, (name) => column<string | null>(`${row}.${columnOf(name)}`));

/** Names of columns, for a select list or an insertion. @param row an alias of the table, if they are selected with their names in a row */
export const metadataSql = (row = '', names: readonly MetadataName[] = METADATA_NAMES): string =>
  names.map((name) => (row === '' ? columnOf(name) : `${row}.${columnOf(name)} as "${name}"`)).join(', ');

/** Arguments of `json_build_object` for the metadata of revisions. */
export const revisedJson = (row: string): string =>
  REVISED_NAMES.map((name) => `'${name}', ${row}.${columnOf(name)}`).join(', ');

/** An SQL expression for the value of each column in a state that a revision may have. */
export const metadataAsRevised = (revised: (name: string) => string, other: (name: string) => string) =>
  valuesBy(METADATA_NAMES, (name) => (METADATA[name].isRevised ? revised : other)(columnOf(name)));
