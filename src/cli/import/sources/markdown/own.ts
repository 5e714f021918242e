/**
 * What an export of Daybook has beside the texts: the folder says the state, `comments/<name>.json` has the comments, `members.json` the profiles, and
 * `images` the files of the image store (docs/decisions/markdown-export.md).
 */
import { posix } from 'node:path';
import { FileError } from '../../../subcommand.js';
import type { InputEntry } from '../../input/entries.js';
import { readText } from '../../input.js';
import type { SourceComment, SourceImage, SourceMember, SourcePerson, SourceState } from '../../source.js';
import { MARKDOWN, type Site } from './site.js';

const STATES: Readonly<Record<string, SourceState>> = { articles: 'PUBLIC', private: 'PRIVATE', drafts: 'DRAFT' };

const IMAGE = /\.\.\/images\/[0-9a-f]{64}\.webp/g;

/** The profiles of all members. */
export async function* readOwnMembers({ input, root }: Site): AsyncGenerator<SourceMember> {
  const file = input.find(`${root}members.json`);
  const members = file ? await readJson(file) : [];
  for (const each of Array.isArray(members) ? members : []) {
    const { nickname, bio, image, createdAt } = Object(each) as Record<string, unknown>;
    if (typeof nickname !== 'string') continue;
    const picture = typeof image === 'string' ? input.find(root + image) : null;
    yield {
      kind: 'member',
      person: ownPerson(nickname),
      profile: {
        bio: typeof bio === 'string' ? bio : '',
        image: picture && storedImage(String(image), picture),
        createdAt: timeOf(createdAt),
      },
    };
  }
}

/** The images of the store that a content refers to, in any form. */
export function ownImages({ input, root }: Site, content: string): SourceImage[] {
  return [...new Set(content.match(IMAGE))].flatMap((reference) => {
    const file = input.find(root + reference.slice('../'.length));
    return file ? [storedImage(reference, file)] : [];
  });
}

export function storedImage(reference: string, file: InputEntry, alt: string | null = null): SourceImage {
  return { reference, alt, isStored: true, open: () => file.open() };
}

export async function readOwnComments(site: Site, path: string) {
  const inner = path.slice(site.root.length);
  const state = STATES[posix.dirname(inner)] ?? 'PUBLIC';
  const name = posix.basename(inner).replace(MARKDOWN, '');
  const file = state === 'DRAFT' ? null : site.input.find(`${site.root}comments/${name}.json`);
  const comments: SourceComment[] = [];
  if (file) addComments(comments, await readJson(file), null, name);
  return { state, comments };
}

async function readJson(file: InputEntry): Promise<unknown> {
  try {
    return JSON.parse((await readText(file)).text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new FileError(`its file ${file.path} is not valid JSON`, { cause: error });
    throw error;
  }
}

/** Comments have no ids: keys are those of the article and parent, with the author, the time and, where these are equal, a number. */
function addComments(comments: SourceComment[], list: unknown, parentKey: string | null, prefix: string): void {
  const counts = new Map<string, number>();
  for (const each of Array.isArray(list) ? list : []) {
    const { author, content, createdAt, updatedAt, deleted, hidden, replies } = Object(each) as Record<string, unknown>;
    const identity = `${prefix} ${createdAt} ${author ?? ''}`;
    const count = (counts.get(identity) ?? 0) + 1;
    counts.set(identity, count);
    const key = count === 1 ? identity : `${identity} ${count}`;
    comments.push({
      key,
      parentKey,
      author: typeof author === 'string' ? ownPerson(author) : null,
      content: typeof content === 'string' ? content : '',
      format: 'text',
      createdAt: timeOf(createdAt),
      updatedAt: timeOf(updatedAt),
      isHidden: hidden === true,
      isDeleted: deleted === true,
    });
    addComments(comments, replies, key, key);
  }
}

function ownPerson(nickname: string): SourcePerson {
  return { key: nickname, name: nickname, email: null };
}

function timeOf(value: unknown): Date | null {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? null : time;
}
