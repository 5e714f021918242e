/**
 * What an export of Daybook has beside the texts: the folder says the state, `comments/<name>.json` has the comments, `members.json` the profiles, and
 * `images` the files of the image store (docs/decisions/export.md). In the archive of a member, `profile.json` has the profile.
 */
import { posix } from 'node:path';
import { FileError } from '../../../platform/errors.js';
import { CommentLimit } from '../../comment-limit.js';
import { dateOf } from '../../dates.js';
import { EntryError, type InputEntry } from '../../input/entries.js';
import type { Input } from '../../input.js';
import { elementsOf, type Row, textOf } from '../../json-elements.js';
import type { SourceComment, SourceImage, SourceItem, SourcePerson, SourceSeries, SourceState } from '../../source.js';
import { MARKDOWN, type Site } from './site.js';

const STATES: Readonly<Record<string, SourceState>> = { articles: 'PUBLIC', private: 'PRIVATE', drafts: 'DRAFT' };

/** By their hashes, and in the archive of a member by their names in the store. */
const IMAGE = /\.\.\/images\/(?:[0-9a-f]{64}|[0-9a-f]{32})\.webp/g;

/** The profiles of all members, and their series. @throws FileError if they cannot be read: they could not be added later */
export async function* readDaybookMembers({ input, root, isArchive }: Site): AsyncGenerator<SourceItem> {
  if (isArchive) {
    yield* await readArchivedMember(input, root);
    return;
  }
  const file = input.find(`${root}members.json`);
  if (file) for await (const row of rowsOf(file)) yield* [memberOf(input, root, row), ...seriesOf(row)];
  else yield { kind: 'left out', place: 'members.json', reason: 'profiles of members: the file is not in the source' };
}

/** The profile and the series of the member whose archive it is. */
async function readArchivedMember(input: Input, root: string): Promise<SourceItem[]> {
  const [profile = {}] = await allIn(input.find(`${root}profile.json`), (path) => path === '');
  const member = { ...profile, series: await allIn(input.find(`${root}series.json`)) };
  return [memberOf(input, root, member), ...seriesOf(member)];
}

async function allIn(file: InputEntry | null, isWanted?: (path: string) => boolean): Promise<Row[]> {
  const rows: Row[] = [];
  if (file) for await (const row of rowsOf(file, isWanted)) rows.push(row);
  return rows;
}

/** Why a file of the archive of a member is left out. Null if its texts are in the files of texts. */
export function reasonInArchive({ root }: Site, path: string): string | null {
  const [, name] = /^([a-z-]+)\.json$/.exec(path.slice(root.length)) ?? [];
  if (name === undefined || /^(?:profile|series|articles|drafts)$/.test(name)) return null;
  return name === 'comments' ? 'comments on articles that are not in the source' : ONLY_IN_ARCHIVES;
}

const ONLY_IN_ARCHIVES = 'files in the archive of a member that are neither articles nor drafts';

function memberOf(input: Input, root: string, { nickname, bio, image, createdAt }: Row): SourceItem {
  if (typeof nickname !== 'string')
    return { kind: 'left out', place: 'members.json', reason: 'members without a nickname' };
  const reference = typeof image === 'string' ? image : null;
  const picture = reference === null ? null : input.find(root + reference);
  const open = async () => {
    if (!picture) throw new EntryError('it is not in the source');
    return picture.open();
  };
  return {
    kind: 'member',
    person: personNamed(nickname),
    profile: {
      bio: textOf(bio),
      image: reference === null ? null : { reference, alt: null, isStored: true, open },
      createdAt: dateOf(createdAt),
    },
  };
}

/** Exports of earlier versions have none. */
function seriesOf({ nickname, series }: Row): SourceSeries[] {
  return (Array.isArray(series) ? series : []).flatMap((each: unknown) => {
    const { title, description, updatedAt } = Object(each) as Row;
    if (typeof nickname !== 'string' || typeof title !== 'string') return [];
    const place = 'members.json';
    const texts = { title, description: textOf(description) };
    return { kind: 'series', place, author: personNamed(nickname), ...texts, updatedAt: dateOf(updatedAt) };
  });
}

/** The images of the store that a content refers to, in any form. */
export function daybookImages({ input, root }: Site, content: string): SourceImage[] {
  return [...new Set(content.match(IMAGE))].flatMap((reference) => {
    const file = input.find(root + reference.slice('../'.length));
    return file ? [storedImage(reference, file)] : [];
  });
}

export function storedImage(reference: string, file: InputEntry, alt: string | null = null): SourceImage {
  return { reference, alt, isStored: true, open: () => file.open() };
}

/** Whether a file has the comments on an article that is not in the source. */
export function areOrphans({ input, root }: Site, path: string): boolean {
  const [, name] = /^comments\/(.*)\.json$/.exec(path.slice(root.length)) ?? [];
  const isMissing = (folder: string) => input.find(`${root}${folder}/${name}.md`) === null;
  return name !== undefined && ['articles', 'private'].every(isMissing);
}

/** Comments that cannot be read are left out; a later import adds them. @param key of the text; null for exports of earlier versions */
export async function readDaybookComments(site: Site, path: string, key: string | null) {
  const inner = path.slice(site.root.length);
  const state = STATES[posix.dirname(inner)] ?? 'PUBLIC';
  const name = posix.basename(inner).replace(MARKDOWN, '');
  const file = state === 'DRAFT' ? null : site.input.find(`${site.root}comments/${name}.json`);
  const comments: SourceComment[] = [];
  const limit = new CommentLimit();
  const add = adderOf({ comments, limit, hasHidden: site.hasHidden }, null, key ?? name);
  try {
    if (file) for await (const row of rowsOf(file)) add(row);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const leftOut = 'comments in files that cannot be read';
    comments.push({ ...NO_COMMENT, key: error.message, leftOut });
  }
  return { name, state, comments, losses: limit.losses };
}

const WITHOUT_CONTENT = { reason: 'hidden comments: only an export with --all has their contents' };

const NO_COMMENT: SourceComment = {
  key: '',
  parentKey: null,
  author: null,
  content: '',
  format: 'text',
  createdAt: null,
};

/** The elements of an array, one at a time: a comment is one with its replies. @throws FileError with the name of the file */
async function* rowsOf(file: InputEntry, isWanted = (path: string) => /^\d+$/.test(path)): AsyncGenerator<Row> {
  try {
    for await (const { value } of elementsOf(file, isWanted)) yield value;
  } catch (error) {
    const isExpected = error instanceof FileError || error instanceof EntryError;
    throw isExpected ? new FileError(`${file.path} cannot be read: ${error.message}`, { cause: error }) : error;
  }
}

interface Added {
  comments: SourceComment[];
  limit: CommentLimit;
  hasHidden: boolean;
}

/**
 * Comments have no ids: keys are those of the article and parent, with the time and, where times are equal, a number. Not the author, who may have another
 * name in a later export, or none after a withdrawal or a deletion.
 */
function adderOf(added: Added, parentKey: string | null, prefix: string): (row: Row) => void {
  const { comments, limit, hasHidden } = added;
  const counts = new Map<string, number>();
  return ({ author, content, createdAt, updatedAt, deleted, hidden, replies }) => {
    const isAdmitted = limit.admits(textOf(author), textOf(content));
    const key = isAdmitted ? numbered(`${prefix} ${createdAt}`, counts) : '';
    if (isAdmitted)
      comments.push({
        key,
        parentKey,
        author: typeof author === 'string' ? personNamed(author) : null,
        content: textOf(content),
        format: 'text',
        createdAt: dateOf(createdAt),
        updatedAt: dateOf(updatedAt),
        isHidden: hidden === true,
        isDeleted: deleted === true,
        ...(hidden === true && !hasHidden && { reduced: [WITHOUT_CONTENT] }),
      });
    const addReply = adderOf(added, key, key);
    for (const reply of Array.isArray(replies) ? replies : []) addReply(Object(reply));
  };
}

function numbered(identity: string, counts: Map<string, number>): string {
  const count = (counts.get(identity) ?? 0) + 1;
  counts.set(identity, count);
  return count === 1 ? identity : `${identity} ${count}`;
}

function personNamed(nickname: string): SourcePerson {
  return { key: nickname, name: nickname, email: null };
}
