/** What an import did: counts, and everything it left out or changed, grouped by the reason. */

export const KINDS = ['members', 'categories', 'tags', 'articles', 'comments'] as const;
export type Kind = (typeof KINDS)[number];

/** Something the person who imports should know. */
export interface Note {
  what: 'skipped' | 'changed';
  /** Begins with what it is about, in the plural: "pingbacks: …". */
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

const EXAMPLES = 3;
/** A file can have any number of post types; the report stays one that can be read. */
const GROUPS = 200;

export class Report {
  readonly added: Record<Kind, number> = { members: 0, categories: 0, tags: 0, articles: 0, comments: 0 };
  /** Among the comments added, those under another. */
  replies = 0;
  /** Ids of what was met that is in the journal, from now or from before. */
  readonly met: Record<'members' | 'categories' | 'tags', Set<number>> = {
    members: new Set(),
    categories: new Set(),
    tags: new Set(),
  };
  readonly again: Record<'articles' | 'comments', number> = { articles: 0, comments: 0 };
  /** Posts that the database refused: an import with any of these is not complete. */
  refused = 0;
  readonly #groups = { skipped: new Map<string, Group>(), changed: new Map<string, Group>() };

  tell(notes: readonly Note[]): void {
    for (const { what, reason, example, count } of notes) this.#add(what, reason, { count, examples: [example] });
  }

  /** Adds what was done in one transaction, once that is committed. */
  include(part: Report): void {
    for (const kind of KINDS) this.added[kind] += part.added[kind];
    this.replies += part.replies;
    this.again.articles += part.again.articles;
    this.again.comments += part.again.comments;
    for (const kind of ['members', 'categories', 'tags'] as const) {
      for (const id of part.met[kind]) this.met[kind].add(id);
    }
    for (const what of ['skipped', 'changed'] as const) {
      for (const [reason, group] of part.#groups[what]) this.#add(what, reason, group);
    }
  }

  /** How many there were before this import, of those it met. */
  already(kind: Kind): number {
    if (kind === 'articles' || kind === 'comments') return this.again[kind];
    return this.met[kind].size - this.added[kind];
  }

  /** How often each reason to skip or to change something was met. */
  counts(what: Note['what']): Record<string, number> {
    return Object.fromEntries([...this.#groups[what]].map(([reason, { count }]) => [reason, count]));
  }

  toString(): string {
    const rows = KINDS.map((kind) => row(kind, this.added[kind], this.already(kind)));
    const threads = this.added.comments > 0 ? [`${' '.repeat(11)}(comments added: ${this.#threads()})`] : [];
    return [
      row('', 'added', 'already there'),
      ...rows,
      ...threads,
      ...this.#section('Skipped', 'skipped'),
      ...this.#section('Changed', 'changed'),
      '',
    ].join('\n');
  }

  #add(what: Note['what'], reason: string, { count, examples }: Group): void {
    const groups = this.#groups[what];
    const key = groups.has(reason) || groups.size < GROUPS ? reason : 'others';
    const group = groups.get(key) ?? { count: 0, examples: [] };
    groups.set(key, { count: group.count + count, examples: [...group.examples, ...examples].slice(0, EXAMPLES) });
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

function row(name: string, added: number | string, already: number | string): string {
  return `${name.padEnd(11)}${String(added).padStart(9)}${String(already).padStart(15)}`;
}

function line(reason: string, { count }: Group): string {
  return `${String(count).padStart(9)}  ${reason}`;
}

function list({ count, examples }: Group): string {
  return examples.join(', ') + (count > examples.length ? ', …' : '');
}
