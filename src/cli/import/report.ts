/** The report of an import: counts, and what was skipped or changed, grouped by reason. */
import { OldAddresses } from './old-addresses.js';

export const KINDS = ['members', 'categories', 'tags', 'articles', 'drafts', 'comments'] as const;
export type Kind = (typeof KINDS)[number];

/** A skipped or changed record, for the report. */
export interface Note {
  what: 'skipped' | 'changed';
  /** Begins with the kind of record, in the plural: "pingbacks: …". */
  reason: string;
  example: string;
  count: number;
}

export function note(what: Note['what'], reason: string, example: string, count = 1): Note {
  return { what, reason, example, count };
}

interface Group {
  count: number;
  examples: string[];
}

const MAX_EXAMPLES = 3;
/** Maximum number of groups, so that the report stays readable: a file can have any number of post types. */
const MAX_GROUPS = 200;

export class Report {
  readonly added: Record<Kind, number> = { members: 0, categories: 0, tags: 0, articles: 0, drafts: 0, comments: 0 };
  /** Number of replies among the comments added. */
  replies = 0;
  /** Ids of rows that the import refers to, added now or already there. */
  readonly referenced: Record<'members' | 'categories' | 'tags', Set<number>> = {
    members: new Set(),
    categories: new Set(),
    tags: new Set(),
  };
  /** Number of articles, drafts and comments that an earlier import added. */
  readonly existing: Record<'articles' | 'drafts' | 'comments', number> = { articles: 0, drafts: 0, comments: 0 };
  /** The pictures of the articles; `articles` have any, of which `articlesDone` are processed. */
  readonly pictures = { articles: 0, articlesDone: 0, added: 0, existing: 0, failed: 0 };
  /** Number of posts that the database rejected: the import is incomplete if this is not 0. */
  rejected = 0;
  /** Of the articles in the file. */
  readonly oldAddresses = new OldAddresses();
  /** The normalized URL of the blog, once it is known. */
  source = '';
  readonly #groups = { skipped: new Map<string, Group>(), changed: new Map<string, Group>() };

  addNotes(notes: readonly Note[]): void {
    for (const { what, reason, example, count } of notes) this.#add(what, reason, { count, examples: [example] });
  }

  /** Merges the report of one transaction, after its commit. */
  include(part: Report): void {
    for (const kind of KINDS) this.added[kind] += part.added[kind];
    this.replies += part.replies;
    this.existing.articles += part.existing.articles;
    this.existing.drafts += part.existing.drafts;
    this.existing.comments += part.existing.comments;
    for (const kind of ['members', 'categories', 'tags'] as const) {
      for (const id of part.referenced[kind]) this.referenced[kind].add(id);
    }
    for (const what of ['skipped', 'changed'] as const) {
      for (const [reason, group] of part.#groups[what]) this.#add(what, reason, group);
    }
  }

  /** How many of the records in the import were already in the journal. */
  existingCount(kind: Kind): number {
    if (kind === 'articles' || kind === 'drafts' || kind === 'comments') return this.existing[kind];
    return this.referenced[kind].size - this.added[kind];
  }

  /** Number of notes by reason. */
  counts(what: Note['what']): Record<string, number> {
    return Object.fromEntries([...this.#groups[what]].map(([reason, { count }]) => [reason, count]));
  }

  /** For `JSON.stringify`, without the articles. */
  toJSON(): object {
    const groups = (what: Note['what']) => [...this.#groups[what]].map(([reason, group]) => ({ reason, ...group }));
    const existing = Object.fromEntries(KINDS.map((kind) => [kind, this.existingCount(kind)]));
    const { added, rejected } = this;
    return { added, existing, rejected, skipped: groups('skipped'), changed: groups('changed') };
  }

  toString(): string {
    const rows = KINDS.map((kind) => row(kind, this.added[kind], this.existingCount(kind)));
    const { added, existing, failed } = this.pictures;
    const pictures = added + existing + failed > 0 ? [row('pictures', added, existing)] : [];
    const threads = this.added.comments > 0 ? [`${' '.repeat(11)}(comments added: ${this.#threads()})`] : [];
    return [
      row('', 'added', 'already there'),
      ...rows,
      ...threads,
      ...pictures,
      ...this.#section('Skipped', 'skipped'),
      ...this.#section('Changed', 'changed'),
      '',
    ].join('\n');
  }

  #add(what: Note['what'], reason: string, { count, examples }: Group): void {
    const groups = this.#groups[what];
    const key = groups.has(reason) || groups.size < MAX_GROUPS ? reason : 'others';
    const group = groups.get(key) ?? { count: 0, examples: [] };
    groups.set(key, { count: group.count + count, examples: [...group.examples, ...examples].slice(0, MAX_EXAMPLES) });
  }

  #threads(): string {
    return `${this.added.comments - this.replies} top-level, ${this.replies} replies`;
  }

  #section(title: string, what: Note['what']): string[] {
    const groups = [...this.#groups[what]].sort(([, a], [, b]) => b.count - a.count);
    if (groups.length === 0) return [];
    return [
      '',
      `${title}:`,
      ...groups.flatMap(([reason, group]) => [line(reason, group), `${' '.repeat(11)}${list(group)}`]),
    ];
  }
}

function row(name: string, added: number | string, existing: number | string): string {
  return `${name.padEnd(11)}${String(added).padStart(9)}${String(existing).padStart(15)}`;
}

function line(reason: string, { count }: Group): string {
  return `${String(count).padStart(9)}  ${reason}`;
}

function list({ count, examples }: Group): string {
  return examples.join(', ') + (count > examples.length ? ', …' : '');
}
