/**
 * The texts about an article that its author writes as they are. What is declared here is a column of articles and drafts, a field of their requests and
 * responses, and part of exports and imports (CONTRIBUTING.md, "Adding a column of articles").
 */
import { Column, DataType, Model } from 'sequelize-typescript';
import { column, columnOf } from '../../platform/database/columns.js';
import { canonicalLanguage, MAX_LANGUAGE_LENGTH } from '../../platform/language-tag.js';
import { normalizeWebAddress } from '../../platform/text.js';

export const MAX_DESCRIPTION_LENGTH = 300;

export const MAX_CANONICAL_URL_LENGTH = 2000;

/** The columns of `all_articles` and of `drafts`. */
export abstract class Metadata<Row extends object> extends Model<Row> {
  @Column(DataType.STRING(MAX_DESCRIPTION_LENGTH)) declare description: string | null;
  /** As `normalizeWebAddress` returns it. */
  @Column(DataType.STRING(MAX_CANONICAL_URL_LENGTH)) declare canonicalUrl: string | null;
  @Column(DataType.STRING(MAX_LANGUAGE_LENGTH)) declare language: string | null;
}

export interface DeclaredMetadata {
  /** For the reference. */
  readonly example: string;
  readonly maxLength: number;
  /** Names in front matter: exports write the first, imports read all, in lower case. */
  readonly frontMatter: readonly [written: string, ...read: string[]];
  /** Whether revisions store it: then it is a column of `article_revisions` and `draft_revisions`, too. */
  readonly isRevised: boolean;
  /** Null: the text is not valid. Absent: the text is stored as it is. */
  readonly normalize?: (text: string) => string | null;
  /** What a text has to be, for reports of imports. */
  readonly form?: string;
}

export const METADATA = {
  description: {
    example: 'What the harbor looks like before the fog lifts.',
    maxLength: MAX_DESCRIPTION_LENGTH,
    frontMatter: ['description', 'summary', 'excerpt', 'subtitle'],
    isRevised: true,
  },
  /** Where a text was published first. */
  canonicalUrl: {
    example: 'https://blog.example.org/a-morning-at-the-lighthouse',
    maxLength: MAX_CANONICAL_URL_LENGTH,
    frontMatter: ['canonicalURL', 'canonical_url', 'canonical'],
    isRevised: false,
    normalize: normalizeWebAddress,
    form: `an absolute http or https address of at most ${MAX_CANONICAL_URL_LENGTH} characters`,
  },
  language: {
    example: 'en',
    maxLength: MAX_LANGUAGE_LENGTH,
    frontMatter: ['language', 'lang'],
    isRevised: false,
    normalize: canonicalLanguage,
    form: 'a BCP 47 language tag',
  },
} as const satisfies Readonly<Record<string, DeclaredMetadata>>;

/** A text for a column, as it is stored; null if it is not valid. */
export function normalizeMetadata(name: MetadataName, text: string): string | null {
  const { normalize = (valid: string) => valid }: DeclaredMetadata = METADATA[name];
  return normalize(text);
}

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

export const METADATA_EXAMPLE = valuesBy(METADATA_NAMES, (name) => METADATA[name].example);

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
  return Object.fromEntries(given.map((name) => [name, normalizeMetadata(name, input[name] ?? '') || null]));
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
