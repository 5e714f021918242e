/** Texts as Markdown files with YAML front matter, with the names that Hugo uses. See docs/markdown.md. */
import { Scalar, stringify, type ToStringOptions } from 'yaml';
import { METADATA, METADATA_NAMES, type MetadataRow } from '../../models/article/metadata.js';

/** In the order of the file. Null and empty values are omitted, except `title` and `draft`. */
export interface FrontMatter {
  readonly title: string;
  /** Time of publication. */
  readonly date: Date | null;
  /** Of a draft: the one that its author has set. */
  readonly publishDate?: Date | null;
  /** Time of the last change. */
  readonly lastmod: Date | null;
  readonly slug: string | null;
  /** Former slugs, which Hugo redirects. */
  readonly aliases?: readonly string[];
  /** Display name. */
  readonly author: string | null;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  /** Hugo reads it as a list of one term, with the position in it. */
  readonly series?: { readonly title: string; readonly position: number } | null;
  readonly metadata: MetadataRow;
  /** The same in translations of each other, as Hugo reads it. */
  readonly translationKey?: string | null;
  /** In place of a description by the author. */
  readonly excerpt: string | null;
  /** URL, or path relative to the file. */
  readonly image: string | null;
  /** Alternative text of the image. */
  readonly imageAlt?: string | null;
  readonly draft: boolean;
  /** By which an import recognizes the text when the name of its file has changed. */
  readonly key?: string | null;
  /** Whether the content or names have been changed for Hugo, which an import reverses. */
  readonly escaped?: boolean;
}

/**
 * YAML 1.1 and 1.2 read an unquoted `no`, `1:30` or `0o17` as different values, so that all strings are quoted. JSON strings are YAML, and have
 * no line breaks: no line of the front matter begins with `---` or has a second meaning.
 */
const OPTIONS: ToStringOptions = {
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  doubleQuotedAsJSON: true,
  lineWidth: 0,
};

/** Characters that YAML does not permit, or reads as line breaks, and that JSON does not escape; and the first brace of a shortcode of Hugo. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\{(?=\{[<%])/g;

/** @returns the front matter and the unchanged content, which begins in the line after the second `---` */
export function markdownFile(frontMatter: FrontMatter, content: string): string {
  const {
    title,
    date,
    publishDate,
    lastmod,
    slug,
    aliases = [],
    author,
    categories,
    tags,
    series,
    metadata,
    translationKey,
    excerpt,
    image,
    imageAlt,
    draft,
    key,
    escaped,
  } = frontMatter;
  const textOf = (name: keyof MetadataRow) => metadata[name] ?? (name === 'description' ? excerpt : null);
  const fields = {
    title,
    ...(date && { date: timestamp(date) }),
    ...(publishDate && { publishDate: timestamp(publishDate) }),
    ...(lastmod && { lastmod: timestamp(lastmod) }),
    ...(slug && { slug }),
    ...(aliases.length > 0 && { aliases }),
    ...(author && { author }),
    ...(categories.length > 0 && { categories }),
    ...(tags.length > 0 && { tags }),
    ...(series && { series: [series.title], series_weight: series.position }),
    ...Object.fromEntries(METADATA_NAMES.filter(textOf).map((name) => [METADATA[name].frontMatter[0], textOf(name)])),
    ...(metadata.description && { descriptionSet: true }),
    ...(translationKey && { translationKey }),
    ...(image && { image }),
    ...(image && imageAlt && { imageAlt }),
    draft,
    ...(key && { key }),
    ...(escaped && { escaped }),
  };
  const yaml = stringify(fields, { ...OPTIONS, aliasDuplicateObjects: false }).replace(ESCAPED, escapeCharacter);
  return `---\n${yaml}---\n${content}`;
}

/** RFC 3339, in UTC and to the second. Not quoted: YAML 1.1 reads a timestamp, which Eleventy and Obsidian expect. */
function timestamp(time: Date): Scalar<string> {
  const scalar = new Scalar(`${time.toISOString().slice(0, 19)}Z`);
  scalar.type = Scalar.PLAIN;
  return scalar;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
