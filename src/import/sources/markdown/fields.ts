/** The front matter of Hugo, Jekyll, Obsidian, Velog backups and Daybook as the fields of an article. */
import { unescapeName } from '../../../export/generator-safe.js';
import { METADATA, METADATA_NAMES, type MetadataInput, type MetadataName } from '../../../models/article/metadata.js';
import { readDate } from '../../dates.js';
import type { Reduction, SourcePerson, SourceState } from '../../source.js';
import type { Fields, Value } from './front-matter.js';
import type { Site, SiteKind } from './site.js';

export type ReadFields = ReturnType<typeof readFields>;

const NAMES = {
  title: ['title'],
  slug: ['slug'],
  address: ['url', 'permalink', 'canonical_url'],
  author: ['author', 'authors'],
  category: ['category', 'categories'],
  tags: ['tags', 'tag'],
  series: ['series'],
  seriesPosition: ['series_weight', 'series_order'],
  translationKey: ['translationkey'],
  image: [
    'image',
    'images',
    'cover',
    'thumbnail',
    'featured_image',
    'featuredimage',
    'cover_image',
    'heroimage',
    'banner',
  ],
  imageAlt: ['imagealt', 'image_alt', 'cover_alt'],
  created: ['date', 'created', 'created_at', 'createdat', 'published_at', 'released_at', 'pubdate'],
  published: ['publishdate', 'pubdate', 'published_at'],
  updated: ['lastmod', 'updated', 'updated_at', 'updatedat', 'modified', 'last_modified_at', 'updateddate'],
  expires: ['expirydate', 'unpublishdate'],
  aliases: ['aliases', 'alias', 'redirect_from'],
} as const;

/** Settings of the appearance, of which nothing is lost. */
const WITHOUT_CONTENT =
  /^(?:draft|descriptionset|key|escaped|published|private|visibility|layout|type|toc|math|mathjax|weight|comments|share|cssclass(?:es)?|publish|url_slug|id|uid|templateengineoverride|eleventyexcludefromcollections)$/;

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(NAMES).flat(),
  ...METADATA_NAMES.flatMap((name) => METADATA[name].frontMatter.map((each) => each.toLowerCase())),
]);

/** @returns `image`: the reference to the feature image; `addresses`: former ones, as paths or URLs, and in an export of this service `formerSlugs`; `createdUtc`: as keys of texts have it */
export function readFields(fields: Fields, { kind, zone, invalidZone }: Site, now: Date) {
  const reduced: Reduction[] = [];
  const first = (names: readonly string[]) =>
    names.map((name) => fields[name]).find((value) => !isEmpty(value)) ?? null;
  const unknown = invalidZone === null ? '' : `, since "${invalidZone}" in the settings is no time zone`;
  const dateOf = (names: readonly string[]) => {
    const text = textOf(first(names));
    const read = text === null ? null : readDate(text, zone);
    const detail = text?.slice(0, 60) ?? '';
    if (text !== null && !read) reduced.push({ reason: 'dates that cannot be read', detail });
    if (read?.isLocal && zone === null)
      reduced.push({ reason: `dates without a time zone: read as UTC${unknown}`, detail });
    return read;
  };
  const created = dateOf(NAMES.created);
  // One field can be both.
  const published = first(NAMES.published) === first(NAMES.created) ? created : dateOf(NAMES.published);
  const dated = created ?? published;
  const createdAt = dated?.date ?? null;
  const images = imagesOf(first(NAMES.image));
  const alt = textOf(first(NAMES.imageAlt)) ?? images[0]?.alt ?? null;
  const isEscaped = kind === 'daybook' && is(fields, 'escaped', true);
  const nameOf = (name: string) => (isEscaped ? unescapeName(name) : name);
  const aliases = listOf(first(NAMES.aliases), false);
  const authors = peopleOf(first(NAMES.author));
  const stateAndTime = stateOf(
    fields,
    kind,
    { starts: published?.date ?? createdAt, ends: dateOf(NAMES.expires)?.date ?? null, now },
    reduced,
  );
  if (authors.length > 1) reduced.push({ reason: 'further authors: an article has one', count: authors.length - 1 });
  if (images.length > 1)
    reduced.push({ reason: 'further feature images: an article has one', count: images.length - 1 });
  const hasState = /^(?:draft|private|public|published?)$/i.test(textOf(fields.status) ?? '');
  // In an export of this service, the beginning of the text stands for a description that the author has not set.
  const isWritten = (name: MetadataName) =>
    name !== 'description' || kind !== 'daybook' || is(fields, 'descriptionset', true);
  const metadataOf = (name: MetadataName) =>
    textOf(first(METADATA[name].frontMatter.map((each) => each.toLowerCase())));
  const metadata: MetadataInput = Object.fromEntries(
    METADATA_NAMES.filter(isWritten).map((name) => [name, metadataOf(name)]),
  );
  const lost = Object.keys(fields).filter(
    (name) =>
      !KNOWN.has(name) && !WITHOUT_CONTENT.test(name) && !isEmpty(fields[name]) && !(name === 'status' && hasState),
  );
  if (lost.length > 0) reduced.push({ ...LOST_FIELDS, detail: lost.join(', ').slice(0, 200), count: lost.length });
  return {
    title: kind === 'daybook' ? (textOf(fields.title) ?? '') : textOf(first(NAMES.title)),
    slug: textOf(first(NAMES.slug)),
    author: authors[0] ?? null,
    categories: listOf(first(NAMES.category), kind === 'jekyll').map(nameOf),
    tags: listOf(first(NAMES.tags), kind === 'jekyll' || kind === 'obsidian').map((tag) =>
      kind === 'daybook' ? nameOf(tag) : tag.replace(/^#+/, ''),
    ),
    series: seriesOf(first(NAMES.series), textOf(first(NAMES.seriesPosition)), reduced),
    metadata,
    translationKey: textOf(first(NAMES.translationKey)),
    key: kind === 'daybook' && UUID.test(textOf(fields.key) ?? '') ? textOf(fields.key) : null,
    image: images[0] ? { reference: images[0].reference, alt } : null,
    createdAt,
    createdUtc: created?.utc ?? published?.utc ?? null,
    publishedAt: (kind === 'daybook' && published?.date) || null,
    updatedAt: dateOf(NAMES.updated)?.date ?? null,
    ...stateAndTime,
    addresses: [textOf(first(NAMES.address)), ...(kind === 'daybook' ? [] : aliases)].filter((text) => text !== null),
    formerSlugs: kind === 'daybook' ? aliases : [],
    isEscaped,
    // Of a page that is no post: `layout: page`.
    isPage: kind !== 'daybook' && (fields.layout === 'page' || fields.type === 'page'),
    reduced,
  };
}

/** In lower case, as PostgreSQL returns it. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const LOST_FIELDS = { reason: 'fields of front matter that articles do not have' };

interface Times {
  starts: Date | null;
  ends: Date | null;
  now: Date;
}

/** Hugo and Jekyll do not publish before the date, and Hugo not after `expiryDate`. */
function stateOf(
  fields: Fields,
  kind: SiteKind,
  { starts, ends, now }: Times,
  reduced: Reduction[],
): { state: SourceState; publishAt: Date | null } {
  if (kind === 'daybook') return { state: 'PUBLIC', publishAt: null };
  const states = [fields.status, fields.visibility].map((value) => textOf(value)?.toLowerCase());
  if (is(fields, 'draft', true) || is(fields, 'published', false) || states.includes('draft'))
    return { state: 'DRAFT', publishAt: null };
  if (is(fields, 'private', true) || states.includes('private')) return { state: 'PRIVATE', publishAt: null };
  if (starts && starts > now && kind !== 'obsidian') return { state: 'SCHEDULED', publishAt: starts };
  if (!ends || ends > now) return { state: 'PUBLIC', publishAt: null };
  reduced.push({ reason: 'articles whose expiryDate has passed: now private' });
  return { state: 'PRIVATE', publishAt: null };
}

function is(fields: Fields, name: string, value: boolean): boolean {
  return (value ? YES : NO).test(textOf(fields[name]) ?? '');
}

/** Of YAML 1.1, which Hugo and Jekyll read. Front matter that is read line by line may have a comment after it. */
const YES = /^(?:true|yes|on)(?:\s+#.*)?$/i;
const NO = /^(?:false|no|off)(?:\s+#.*)?$/i;

function isEmpty(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.every((item) => isEmpty(item));
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** @param isSplitAtSpaces as of the categories and tags of Jekyll; else a text is split at commas */
function listOf(value: Value, isSplitAtSpaces: boolean): string[] {
  const texts =
    typeof value === 'string' ? value.split(isSplitAtSpaces ? /[\s,]+/ : ',') : Array.isArray(value) ? value : [];
  return texts.flatMap((text: Value) => (typeof text === 'string' ? text.trim() : [])).filter(Boolean);
}

/** `series: Coast`, `series: [Coast]`, `series: {name: Coast}`. Positions of Hugo can be any number; others than these are ordered by time. */
function seriesOf(
  value: Value,
  position: string | null,
  reduced: Reduction[],
): { title: string; position: number | null } | null {
  const titles = (Array.isArray(value) ? value : [value]).flatMap((each: Value) => {
    const { name, title = name } = typeof each === 'string' ? { title: each } : (Object(each) as Fields);
    return textOf(title)?.trim() || [];
  });
  const [title] = titles;
  if (titles.length > 1) reduced.push({ reason: 'further series: an article is in one', count: titles.length - 1 });
  if (title === undefined) return null;
  return { title, position: position !== null && /^[1-9]\d{0,5}$/.test(position) ? Number(position) : null };
}

function peopleOf(value: Value): SourcePerson[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each: Value) => {
    const { name, email, id } = typeof each === 'string' ? { name: each } : (Object(each) as Fields);
    const shown = textOf(name) ?? textOf(id);
    const key = textOf(id) ?? shown;
    return shown === null ? [] : [{ key, name: shown, email: textOf(email) }];
  });
}

/** `image: a.png`, `images: [a.png]`, `image: {path: a.png, alt: …}`, `cover: {image: a.png, alt: …}` */
function imagesOf(value: Value): { reference: string; alt: string | null }[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each: Value) => {
    if (typeof each === 'string') return { reference: each, alt: null };
    const { image, path, src, url, alt } = Object(each) as Fields;
    const reference = [image, path, src, url].map((text) => textOf(text)).find((text) => text !== null);
    return reference ? { reference, alt: textOf(alt) } : [];
  });
}
