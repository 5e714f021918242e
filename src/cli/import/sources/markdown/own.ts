/** What an export of Daybook has beside the texts: the folder says the state, and `comments/<name>.json` has the comments. */
import { posix } from 'node:path';
import { FileError } from '../../../subcommand.js';
import { readText } from '../../input.js';
import type { SourceComment, SourceState } from '../../source.js';
import { MARKDOWN, type Site } from './site.js';

const STATES: Readonly<Record<string, SourceState>> = { articles: 'PUBLIC', private: 'PRIVATE', drafts: 'DRAFT' };

export async function readOwnComments(site: Site, path: string) {
  const inner = path.slice(site.root.length);
  const state = STATES[posix.dirname(inner)] ?? 'PUBLIC';
  const name = posix.basename(inner).replace(MARKDOWN, '');
  const file = state === 'DRAFT' ? null : site.input.find(`${site.root}comments/${name}.json`);
  if (!file) return { state, comments: [] };
  try {
    const comments: SourceComment[] = [];
    addComments(comments, JSON.parse((await readText(file)).text), null, name);
    return { state, comments };
  } catch (error) {
    if (error instanceof SyntaxError) throw new FileError(`its file ${file.path} is not valid JSON`, { cause: error });
    throw error;
  }
}

interface OwnComment {
  author?: unknown;
  content?: unknown;
  createdAt?: unknown;
  deleted?: unknown;
  hidden?: unknown;
  replies?: unknown;
}

/** Comments have no ids: keys are those of the article and parent, with the author, the time and, where these are equal, a number. */
function addComments(comments: SourceComment[], list: unknown, parentKey: string | null, prefix: string): void {
  const counts = new Map<string, number>();
  for (const each of Array.isArray(list) ? list : []) {
    const { author, content, createdAt, deleted, hidden, replies } = Object(each) as OwnComment;
    const identity = `${prefix} ${createdAt} ${author ?? ''}`;
    const count = (counts.get(identity) ?? 0) + 1;
    counts.set(identity, count);
    const key = count === 1 ? identity : `${identity} ${count}`;
    const time = new Date(String(createdAt));
    comments.push({
      key,
      parentKey,
      author: typeof author === 'string' ? { key: author, name: author, email: null } : WITHDRAWN,
      content: typeof content === 'string' ? content : '',
      format: 'text',
      createdAt: Number.isNaN(time.getTime()) ? null : time,
      ...(deleted === true && { leftOut: 'comments that were deleted' }),
      ...(hidden === true && { reduced: [{ reason: 'hidden comments: they are visible now' }] }),
    });
    addComments(comments, replies, key, key);
  }
}

const WITHDRAWN = { key: null, name: '(withdrawn)', email: null };
