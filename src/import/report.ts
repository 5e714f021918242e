/** The report of an import: counts, what was skipped, reduced or changed by reason, and the same for each item of the source. */
import { beginningOf } from '../platform/text.js';
import { importLimit } from './limit.js';
import { copyOf } from './text.js';

const KINDS = ['members', 'categories', 'tags', 'articles', 'drafts', 'comments'] as const;
export type Kind = (typeof KINDS)[number];

const MAX_ITEMS = importLimit({
  value: 100_000,
  about: 'Items of a source that the report of an import lists. Further ones are counted.',
});
const MAX_ITEMS_LENGTH = importLimit({
  value: 64 * 1024 * 1024,
  unit: 'characters',
  about: 'The listed items with their titles and reasons. Further ones are counted.',
});
/** Examples of a reason that the report keeps, in total and of one item. */
const MAX_EXAMPLES = 10;
const MAX_EXAMPLES_OF_ITEM = 5;
const MAX_EXAMPLE_LENGTH = 300;
/** Maximum number of reasons, so that the report stays readable: a file can have any number of post types. */
const MAX_REASONS = 200;

/** `skipped`: left out. `reduced`: imported with a loss. `changed`: converted without one. */
export type What = 'skipped' | 'reduced' | 'changed';
const WHATS = ['skipped', 'reduced', 'changed'] as const;

/** What happened to an article or a draft, or to something that is not imported. */
export type Result = 'created' | 'updated' | 'unchanged' | 'skipped';

export interface Note {
  what: What;
  /** Begins with the kind of record, in the plural: "pingbacks: …". */
  reason: string;
  /** Where in the source. */
  example: string;
  count: number;
}

export function note(what: What, reason: string, example: string, count = 1): Note {
  return { what, reason, example, count };
}

interface Group {
  count: number;
  examples: string[];
}

/** Texts of a source could move the cursor of a terminal, or add lines to the report. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** Notes by their reasons. */
class Reasons {
  readonly #groups = new Map<string, Group>();

  constructor(readonly maxExamples: number) {}

  /** @returns how many characters were added */
  add(reason: string, { count, examples }: Group): number {
    const given = printable(reason.toWellFormed());
    const key = this.#groups.has(given) || this.#groups.size < MAX_REASONS ? given : 'others';
    const known = this.#groups.get(key);
    const group = known ?? { count: 0, examples: [] };
    group.count += count;
    const kept = examples
      .slice(0, this.maxExamples - group.examples.length)
      .map((example) => copyOf(printable(beginningOf(example, MAX_EXAMPLE_LENGTH))));
    group.examples.push(...kept);
    if (!known) this.#groups.set(copyOf(key), group);
    return kept.join('').length + (known ? 0 : key.length);
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  entries(): [string, Group][] {
    return [...this.#groups];
  }

  toJSON(): object[] {
    return this.entries().map(([reason, group]) => ({ reason, ...group }));
  }
}

interface ReportedItem {
  place: string;
  title?: string;
  /** Null until it is known. */
  result: Result | null;
  notes: Partial<Record<What, Reasons>>;
}

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
  /** The images of the articles; `articles` have any, of which `articlesDone` are processed. */
  readonly pictures = { articles: 0, articlesDone: 0, added: 0, existing: 0, failed: 0 };
  /** Number of articles that the database rejected: the import is incomplete if this is not 0. */
  rejected = 0;
  /** Of the articles in the source. */
  readonly oldAddresses = new OldAddresses();
  /** What is imported, once it is known. */
  source: { product: string; origin: string; recognition?: string } | null = null;
  isDryRun = false;
  readonly #reasons: Record<What, Reasons> = {
    skipped: new Reasons(MAX_EXAMPLES),
    reduced: new Reasons(MAX_EXAMPLES),
    changed: new Reasons(MAX_EXAMPLES),
  };
  readonly #items = new Map<string, ReportedItem>();
  readonly #results: Record<Result, number> = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  #itemsLength = 0;
  #reducedItems = 0;

  /** @param place of the item of the source that they belong to; null: of none */
  addNotes(notes: readonly Note[], place: string | null = null): void {
    for (const { what, reason, example, count } of notes)
      this.#add(what, reason, { count, examples: [example] }, place);
  }

  addItem(place: string, result: Result, title?: string): void {
    this.#results[result]++;
    const item = this.#itemAt(place);
    // The first of several at one place.
    if (item?.result !== null) return;
    Object.assign(item, { ...(title && { title: copyOf(title) }), result });
    this.#itemsLength += title?.length ?? 0;
  }

  /** An item that had been found unchanged got an image or a link. */
  setUpdated(place: string): void {
    const item = this.#items.get(place);
    if (item?.result !== 'unchanged') return;
    item.result = 'updated';
    this.#results.unchanged--;
    this.#results.updated++;
  }

  /** Merges the counts of one transaction, after its commit. */
  include(part: Report, place: string | null = null): void {
    for (const kind of KINDS) this.added[kind] += part.added[kind];
    this.replies += part.replies;
    this.existing.articles += part.existing.articles;
    this.existing.drafts += part.existing.drafts;
    this.existing.comments += part.existing.comments;
    for (const kind of ['members', 'categories', 'tags'] as const) {
      for (const id of part.referenced[kind]) this.referenced[kind].add(id);
    }
    for (const what of WHATS) {
      for (const [reason, group] of part.#reasons[what].entries()) this.#add(what, reason, group, place);
    }
  }

  /** Whether anything of the source is missing in the journal or differs there. */
  get isReduced(): boolean {
    return !this.#reasons.skipped.isEmpty || !this.#reasons.reduced.isEmpty;
  }

  /** How many of the records in the import were already in the journal. */
  existingCount(kind: Kind): number {
    if (kind === 'articles' || kind === 'drafts' || kind === 'comments') return this.existing[kind];
    return this.referenced[kind].size - this.added[kind];
  }

  /** Number of notes by reason. */
  counts(what: What): Record<string, number> {
    return Object.fromEntries(this.#reasons[what].entries().map(([reason, { count }]) => [reason, count]));
  }

  /** For `JSON.stringify`, without the articles. */
  toJSON() {
    const existing = Object.fromEntries(KINDS.map((kind) => [kind, this.existingCount(kind)]));
    const { source, isDryRun: dryRun, added, rejected } = this;
    const { added: stored, existing: known, failed } = this.pictures;
    const listed = [...this.#items.values()];
    const total = Object.values(this.#results).reduce((sum, count) => sum + count, 0);
    return {
      ...(source && { source }),
      dryRun,
      added,
      existing,
      pictures: { added: stored, existing: known, failed },
      rejected,
      ...this.#reasons,
      results: { ...this.#results, reduced: this.#reducedItems },
      items: listed.map(({ notes, ...item }) => ({ ...item, ...notes })),
      itemsNotListed: Math.max(0, total - listed.length),
    };
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
      ...this.#section('Reduced', 'reduced'),
      ...this.#section('Changed', 'changed'),
      '',
      ...this.#summary(),
    ].join('\n');
  }

  #add(what: What, reason: string, group: Group, place: string | null): void {
    this.#reasons[what].add(reason, group);
    const item = place === null ? undefined : this.#itemAt(place);
    if (!item) return;
    if (what === 'reduced' && !item.notes.reduced) this.#reducedItems++;
    item.notes[what] ??= new Reasons(MAX_EXAMPLES_OF_ITEM);
    this.#itemsLength += item.notes[what].add(reason, group);
  }

  /** Undefined beyond the maximum number of items. */
  #itemAt(place: string): ReportedItem | undefined {
    const known = this.#items.get(place);
    if (known || this.#items.size >= MAX_ITEMS || this.#itemsLength >= MAX_ITEMS_LENGTH) return known;
    const item: ReportedItem = { place: copyOf(place), result: null, notes: {} };
    this.#items.set(item.place, item);
    this.#itemsLength += place.length;
    return item;
  }

  #threads(): string {
    return `${this.added.comments - this.replies} top-level, ${this.replies} replies`;
  }

  #section(title: string, what: What): string[] {
    const groups = this.#reasons[what].entries().sort(([, a], [, b]) => b.count - a.count);
    if (groups.length === 0) return [];
    return ['', `${title}:`, ...groups.flatMap(([reason, group]) => [line(reason, group), ...examplesOf(group)])];
  }

  #summary(): string[] {
    const { created, updated, unchanged, skipped } = this.#results;
    if (this.source === null) return [];
    const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped; ${this.#reducedItems} of them reduced`;
    const lines = [`${this.source.product}, ${this.source.origin}: ${counts}`];
    const { recognition } = this.source;
    if (recognition) lines.push(`Read as ${printable(recognition)}.`);
    if (this.isDryRun) lines.push('Nothing was written: this was a dry run.');
    return [...lines, ''];
  }
}

function row(name: string, added: number | string, existing: number | string): string {
  return `${name.padEnd(11)}${String(added).padStart(9)}${String(existing).padStart(15)}`;
}

function line(reason: string, { count }: Group): string {
  return `${String(count).padStart(9)}  ${reason}`;
}

function examplesOf({ count, examples }: Group): string[] {
  const lines = count > examples.length ? [...examples, '…'] : examples;
  return lines.map((example) => `${' '.repeat(11)}${example}`);
}

/** About 300 bytes each in memory. */
const MAX_ADDRESSES = 500_000;

interface OldAddress {
  /** As in the export. */
  address: string;
  postId: string;
}

/** The addresses of imported articles on their old host: for links between articles, and for redirects. */
export class OldAddresses {
  readonly #byAddress = new Map<string, OldAddress>();

  add(address: string, postId: string): void {
    if (!URL.canParse(address) || this.#byAddress.size >= MAX_ADDRESSES) return;
    this.#byAddress.set(copyOf(normalize(new URL(address))), { address: copyOf(address), postId: copyOf(postId) });
  }

  /** The id of the post with this address, or with the short form `?p=ID`. Undefined for other addresses. */
  postIdOf(url: string): string | undefined {
    return this.#byAddress.get(normalize(new URL(url)))?.postId;
  }

  all(): OldAddress[] {
    return [...this.#byAddress.values()];
  }
}

/** Equal for the addresses by which WordPress finds the same post: of either scheme, with or without a slash or a fragment. */
function normalize({ host, pathname, searchParams }: URL): string {
  const postId = searchParams.get('p');
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}${postId === null ? '' : `?p=${postId}`}`;
}
