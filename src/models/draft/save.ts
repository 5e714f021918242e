/** The statements that create and change a draft: one for each save. */
import { columnOf } from '../../platform/database/columns.js';
import { Bindings } from '../../platform/database/keyset.js';
import { composedStatement, type Statement } from '../../platform/database/statement.js';
import { METADATA_NAMES, type MetadataRow } from '../article/metadata.js';
import { DRAFT, type DraftRow, draftExists, draftSource } from './draft.js';

/** What an author writes. Absent fields stay as they are. */
export interface DraftChanges extends Partial<MetadataRow> {
  readonly title?: string;
  readonly content?: string;
  /** The name of one of the author's categories; empty: none. */
  readonly category?: string;
  /** Normalized. */
  readonly tags?: readonly string[];
  /** Empty: none. */
  readonly slug?: string;
  readonly isPrivate?: boolean;
  readonly publishedAt?: Date;
  /** One of the author's images; null removes the image. */
  readonly imageId?: number | null;
  /** Empty: none. Absent: as it is, if the image stays. */
  readonly articleImgAlt?: string;
  /** One of the author's articles; 0: none, also in place of that of the article. */
  readonly translationOf?: number;
  /** Has no effect on a draft of a new article. */
  readonly baseRevision?: number;
}

export interface Author {
  readonly memberId: number;
  /** Of the session or API token. */
  readonly credentialId: string;
  /** Whether drafts of private articles exist for the session or API token. */
  readonly seesPrivate: boolean;
  /** Whether the session or API token may publish, schedule and share. */
  readonly mayPublish: boolean;
}

/** Whether what the changes name exists, and the session or API token has not ended. */
interface References {
  hasAccess: boolean;
  hasCategory: boolean;
  hasImage: boolean;
  hasTranslation: boolean;
}

/** The new draft, without its text; null columns if a reference is missing. */
export type CreatedDraft = (Omit<DraftRow, 'content'> | { id: null }) & References;

/** The draft after the statement, without its text. */
export type SavedDraft = Omit<DraftRow, 'content'> &
  References & {
    isSaved: boolean;
    /** Whether it had one of the expected revisions. */
    isCurrent: boolean;
    /** Whether the changes differ from it. */
    differs: boolean;
  };

type Composed<Row> = [Statement<readonly unknown[], Row>, readonly unknown[]];

const NAMES = {
  hasAccess: 'g.has_access',
  hasCategory: 'g.has_category',
  hasImage: 'g.has_image',
  hasTranslation: 'g.has_translation',
};
const REFERENCES = Object.entries(NAMES)
  .map(([name, sql]) => `${sql} as "${name}"`)
  .join(', ');
const HAS_REFERENCES = Object.values(NAMES).join(' and ');

export function createStatement(author: Author, changes: DraftChanges): Composed<CreatedDraft> {
  const bindings = new Bindings();
  const member = bindings.add(author.memberId, 'bigint');
  const given = givenIn(bindings, author, member, changes);
  const values = valuesOf(changes, bindings);
  const text = `with given as (${given}), added as (
      insert into drafts as d (${['member_id', ...values.map(([name]) => name)].join(', ')})
      select ${[member, ...values.map(([, value]) => value)].join(', ')} from given g where ${HAS_REFERENCES}
      returning d.*
    )
    select ${DRAFT.select}, ${REFERENCES} from given g left join ${draftSource('added d on true', bindings.add(author.seesPrivate, 'boolean'))}`;
  return composedStatement(text, bindings);
}

/**
 * Changes a draft if it has one of the expected revisions, and the changes differ from it; without a difference, nothing is written or locked. Returns no row
 * if the author has no such draft. If another transaction has changed the row since the statement began, PostgreSQL finds another revision in the row that it
 * had to wait for: the returned row is `isCurrent` and differs without being saved, and the statement is to be executed again.
 */
export function saveStatement(...save: Save): Composed<SavedDraft> {
  const { bindings, seesPrivate, given, target, values } = comparison(...save);
  // A stored text that stays the same is not written again.
  const kept = (name: string, value: string) =>
    name === 'content' ? `case when d.content = ${value} then d.content else ${value} end` : value;
  const set = values.map(([name, value]) => `${name} = ${kept(name, value)}`);
  const text = `with given as (${given}), target as (${target}), saved as (
      update drafts d set ${[...set, 'revision = d.revision + 1', 'updated_at = clock_timestamp()'].join(', ')}
      from given g cross join target t
      where d.id = t.id and d.revision = t.revision and t.is_current and t.differs and ${HAS_REFERENCES}
      returning d.*
    ), found as (
      select s.*, true as is_saved from saved s
      union all
      select d.*, false from target t join drafts d on d.id = t.id where not exists (select from saved)
    )
    ${selectFound('d.is_saved')} from given g cross join target t cross join ${draftSource('found d', seesPrivate)}`;
  return composedStatement(text, bindings);
}

/** Reads what `saveStatement` would return if nothing were saved. */
export function compareStatement(...save: Save): Composed<SavedDraft> {
  const { bindings, seesPrivate, given, target } = comparison(...save);
  const text = `with given as (${given}), target as (${target})
    ${selectFound('false')} from given g cross join target t join ${draftSource('drafts d on d.id = t.id', seesPrivate)}`;
  return composedStatement(text, bindings);
}

const selectFound = (isSaved: string): string =>
  `select ${DRAFT.select}, ${isSaved} as "isSaved", t.is_current as "isCurrent", t.differs, ${REFERENCES}`;

/** `revisions`: null for any. */
type Save = [id: number, author: Author, revisions: readonly string[] | null, changes: DraftChanges];

/** A query for what the changes name (`given`), one for the draft and how it compares (`target`), and what the save sets. */
function comparison(...[id, author, revisions, changes]: Save) {
  const bindings = new Bindings();
  const member = bindings.add(author.memberId, 'bigint');
  const seesPrivate = bindings.add(author.seesPrivate, 'boolean');
  const isTarget = `d.id = ${bindings.add(id, 'bigint')} and d.member_id = ${member} and ${draftExists(seesPrivate)}`;
  const given = givenIn(bindings, author, member, changes);
  const expected = bindings.add(revisions, 'text[]');
  const isCurrent = `(${expected} is null or d.revision::text = any(${expected}))`;
  const values = valuesOf(changes, bindings);
  // The text describes an image that the draft no longer has. Without an image of its own, it may be that of the new one.
  if (changes.imageId !== undefined && changes.articleImgAlt === undefined)
    values.unshift([
      'image_alt',
      `case when d.image_id = g.image_id or d.image_id is null and g.image_id is not null then d.image_alt end`,
    ]);
  // In the order of the values: the text, whose comparison reads most, is the last one.
  const differs = ['false', ...values.map(([name, value]) => `d.${name} is distinct from ${value}`)].join(' or ');
  const target = `select d.id, d.revision, ${isCurrent} as is_current, ${differs} as differs from drafts d cross join given g where ${isTarget}`;
  return { bindings, seesPrivate, given, target, values };
}

function givenIn(
  bindings: Bindings,
  { credentialId, seesPrivate }: Author,
  member: string,
  { category, imageId, translationOf }: DraftChanges,
): string {
  const named = [
    bindings.add(category || null, 'text'),
    bindings.add(imageId ?? null, 'bigint'),
    bindings.add(translationOf || null, 'bigint'),
    bindings.add(seesPrivate, 'boolean'),
    bindings.add(credentialId, 'uuid'),
  ];
  return `select * from named_by_draft(${member}, ${named.join(', ')})`;
}

/** The columns to write, each with an SQL expression. */
function valuesOf(changes: DraftChanges, bindings: Bindings): [name: string, value: string][] {
  const {
    title,
    content,
    category,
    tags,
    slug,
    isPrivate,
    imageId,
    articleImgAlt,
    translationOf,
    publishedAt,
    baseRevision,
  } = changes;
  const values: [string, string][] = [];
  if (title !== undefined) values.push(['title', bindings.add(title, 'text')]);
  for (const name of METADATA_NAMES)
    if (changes[name] !== undefined) values.push([columnOf(name), bindings.add(changes[name], 'text')]);
  if (category !== undefined) values.push(['category_id', 'g.category_id']);
  if (tags !== undefined) values.push(['tags', bindings.add(tags, 'text[]')]);
  if (slug !== undefined) values.push(['slug', bindings.add(slug || null, 'text')]);
  if (isPrivate !== undefined) values.push(['is_private', bindings.add(isPrivate, 'boolean')]);
  if (publishedAt !== undefined) values.push(['published_at', bindings.add(publishedAt, 'timestamptz')]);
  if (imageId !== undefined) values.push(['image_id', 'g.image_id']);
  if (imageId === null) values.push(['removes_image', '(d.article_id is not null)']);
  else if (imageId !== undefined) values.push(['removes_image', 'false']);
  if (articleImgAlt !== undefined) values.push(['image_alt', bindings.add(articleImgAlt, 'text')]);
  if (translationOf !== undefined) {
    values.push(['translation_of', 'g.translation_of']);
    values.push(['leaves_translations', translationOf === 0 ? '(d.article_id is not null)' : 'false']);
  }
  if (baseRevision !== undefined) {
    const revision = bindings.add(baseRevision, 'integer');
    values.push(['base_revision', `case when d.article_id is not null then ${revision} end`]);
  }
  if (content !== undefined) values.push(['content', bindings.add(content, 'text')]);
  return values;
}
