/**
 * The journal of a dry run: statements that write are replaced by functions that remember what would have been written, and statements that read find it
 * too. So the import takes the same decisions and reports the same, while its transactions are read-only. New rows have negative ids. Memory grows with
 * the number of records, at about 150 bytes each (a member 300), and not with their texts.
 */
import { ADD_RENDERING } from '../models/article/html.js';
import { DEFAULT_CATEGORY_NAME } from '../models/category.js';
import { MAX_DRAFT_BYTES, MAX_DRAFTS } from '../models/draft/draft.js';
import { SCHEDULE_DRAFT } from '../models/draft/publication.js';
import { ADD_TAGS, TAG_ARTICLE } from '../models/tag.js';
import type { Database } from '../platform/database/pool.js';
import { type RunStatement, type Statement, statement } from '../platform/database/statement.js';
import {
  ADD_ARTICLE,
  ADD_CATEGORY,
  ADD_FORMER_SLUGS,
  FIND_CATEGORY,
  FIND_TAGS,
  LOCK_ARTICLE,
  READ_ARTICLE,
} from './articles.js';
import { ADD_COMMENTS, COMMENT_AUTHORS, EMPTY_COMMENTS, LOCK_TOP_COMMENTS, READ_TOP_COMMENTS } from './comments.js';
import { ADD_DRAFT, FIND_DRAFT } from './drafts.js';
import { ADD_DEFAULT_CATEGORIES, ADD_MEMBERS, EXISTING_MEMBERS } from './members.js';
import { SLUGS_OF_ARTICLES } from './references.js';
import { ADD_SERIES, ADD_TO_SERIES, FIND_SERIES, LOCK_SERIES } from './series.js';
import { copyOf } from './text.js';
import { ADD_TRANSLATIONS, FIND_TRANSLATIONS } from './translations.js';
import { ADD_RECORDS, FIND_RECORDS, type Journal, RESERVE_IDS, SETTINGS, type Writer } from './writer.js';

const READ_ONLY = statement<[]>('import_read_only', `select set_config('transaction_read_only', 'on', true)`);

const IS_SLUG_TAKEN = statement<[slug: string], { taken: boolean }>(
  'import_is_slug_taken',
  'select exists (select from article_slugs where slug = $1) as taken',
);

const FIND_TAKEN_NAMES = statement<[nicknames: string[], skeletons: string[]], { nickname: string }>(
  'import_find_taken_names',
  `select n.nickname from unnest($1::text[], $2::text[]) as n(nickname, skeleton)
   where exists (select from members m where lower(m.nickname) = lower(n.nickname))
     or exists (select from members m where m.nickname_skeleton = n.skeleton)`,
);

const COUNT_CATEGORIES = statement<[memberId: number], { total: number }>(
  'import_count_categories',
  'select count(*) as total from categories where member_id = $1 and not is_default',
);

const COUNT_DRAFTS = statement<[memberId: number], { drafts: number; bytes: number }>(
  'import_count_drafts',
  'select drafts, bytes from draft_counts where member_id = $1',
);

type Replacement = (values: readonly unknown[], run: RunStatement) => Promise<unknown[]>;

export class Preview implements Journal {
  readonly source: string;
  readonly #database: Database;
  readonly #replacements = new Map<string, Replacement>();
  readonly #records = new Map<string, number>();
  readonly #articles = new Map<number, { memberId: number; isPrivate: boolean }>();
  readonly #drafts = new Map<number, { memberId: number; categoryId: number | null }>();
  readonly #draftCounts = new Map<number, { drafts: number; bytes: number }>();
  readonly #categories = new Map<string, number>();
  readonly #categoryCounts = new Map<number, number>();
  readonly #series = new Map<string, number>();
  readonly #seriesCounts = new Map<number, number>();
  readonly #listedCounts = new Map<number, number>();
  /** The languages of the new articles of a group. */
  readonly #translations = new Map<string, { id: number; languages: Set<string | null> }>();
  readonly #names = new Set<string>();
  readonly #tags = new Map<string, number>();
  readonly #slugs = new Set<string>();
  #lastId = 0;

  constructor(database: Database, source: string) {
    this.#database = database;
    this.source = source;
    this.#replaceRecords();
    this.#replaceMembers();
    this.#replaceCategories();
    this.#replaceArticles();
    this.#replaceTags();
    this.#replaceComments();
    this.#replaceDrafts();
    this.#replaceSeries();
    this.#replaceTranslations();
  }

  run: RunStatement = (prepared, values) =>
    this.#execute(prepared, values, (...query) => this.#database.query(...query));

  transaction<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (db) => {
      const query: RunStatement = (prepared, values) => db.query(prepared, values);
      await query(READ_ONLY, []);
      await query(SETTINGS, []);
      return work({ source: this.source, run: (prepared, values) => this.#execute(prepared, values, query) });
    });
  }

  #execute<Parameters extends readonly unknown[], Row>(
    prepared: Statement<Parameters, Row>,
    values: Parameters,
    run: RunStatement,
  ): Promise<Row[]> {
    const replacement = this.#replacements.get(prepared.name);
    return replacement ? (replacement(values, run) as Promise<Row[]>) : run(prepared, values);
  }

  #replace<Parameters extends readonly unknown[], Row>(
    { name }: Statement<Parameters, Row>,
    replacement: (values: Parameters, run: RunStatement) => Row[] | Promise<Row[]>,
  ): void {
    this.#replacements.set(name, async (values, run) => replacement(values as Parameters, run));
  }

  #newId(): number {
    return --this.#lastId;
  }

  #replaceRecords(): void {
    this.#replace(FIND_RECORDS, async ([source, kind, keys], run) => {
      const added = keys.flatMap((key) => {
        const rowId = this.#records.get(`${kind} ${key}`);
        return rowId === undefined ? [] : [{ key, rowId }];
      });
      return added.length === keys.length ? added : [...added, ...(await run(FIND_RECORDS, [source, kind, keys]))];
    });
    this.#replace(ADD_RECORDS, ([, kind, keys, rowIds]) => {
      for (const [index, key] of keys.entries()) this.#records.set(`${kind} ${key}`, rowIds[index] ?? 0);
      return [];
    });
    this.#replace(RESERVE_IDS, ([, count]) => Array.from({ length: count }, () => ({ id: this.#newId() })));
  }

  #replaceMembers(): void {
    this.#replace(EXISTING_MEMBERS, async ([ids], run) => [
      ...ids.filter(isNew).map((id) => ({ id })),
      ...(await run(EXISTING_MEMBERS, [ids.filter((id) => !isNew(id))])),
    ]);
    this.#replace(ADD_MEMBERS, async ([ids, , nicknames, skeletons], run) => {
      const taken = new Set((await run(FIND_TAKEN_NAMES, [nicknames, skeletons])).map(({ nickname }) => nickname));
      return ids.flatMap((id, index) => {
        const nickname = nicknames[index] ?? '';
        const names = [nickname.toLowerCase(), `skeleton ${skeletons[index]}`];
        if (taken.has(nickname) || names.some((name) => this.#names.has(name))) return [];
        for (const name of names) this.#names.add(copyOf(name));
        return { id };
      });
    });
    this.#replace(ADD_DEFAULT_CATEGORIES, () => []);
  }

  #replaceCategories(): void {
    this.#replace(FIND_CATEGORY, async ([memberId, name], run) => {
      const added = name === null ? undefined : this.#categories.get(`${memberId} ${name.toLowerCase()}`);
      if (added !== undefined) return [{ id: added, isNamed: true, isDefault: false }];
      const existing = isNew(memberId) ? [] : await run(FIND_CATEGORY, [memberId, name]);
      const isNamed = name?.toLowerCase() === DEFAULT_CATEGORY_NAME.toLowerCase();
      return existing.length > 0 ? existing : [{ id: 0, isNamed, isDefault: true }];
    });
    this.#replace(ADD_CATEGORY, async ([memberId, name, max], run) => {
      const [existing] = isNew(memberId) ? [] : await run(COUNT_CATEGORIES, [memberId]);
      const added = this.#categoryCounts.get(memberId) ?? 0;
      if ((existing?.total ?? 0) + added >= max) return [];
      this.#categoryCounts.set(memberId, added + 1);
      const id = this.#newId();
      this.#categories.set(`${memberId} ${name.toLowerCase()}`, id);
      return [{ id }];
    });
  }

  #replaceArticles(): void {
    this.#replace(ADD_ARTICLE, async ([memberId, , , , isPrivate, slug], run) => {
      const id = this.#newId();
      this.#articles.set(id, { memberId, isPrivate });
      if (isPrivate) return [{ id, slug }];
      const [found] = this.#slugs.has(slug) ? [{ taken: true }] : await run(IS_SLUG_TAKEN, [slug]);
      this.#slugs.add(slug);
      // The number is not known before.
      return [{ id, slug: found?.taken ? `${slug}-` : slug }];
    });
    this.#replace(ADD_FORMER_SLUGS, async ([, slugs], run) => {
      const free: { slug: string }[] = [];
      for (const slug of slugs) {
        const [found] = this.#slugs.has(slug) ? [{ taken: true }] : await run(IS_SLUG_TAKEN, [slug]);
        this.#slugs.add(slug);
        if (!found?.taken) free.push({ slug });
      }
      return free;
    });
    this.#replace(ADD_RENDERING, () => []);
    this.#replace(LOCK_ARTICLE, async ([id], run) => {
      const added = this.#articles.get(id);
      return added ? [{ ...added, categoryId: 0, isDefault: true }] : run(READ_ARTICLE, [id]);
    });
    this.#replace(SLUGS_OF_ARTICLES, async ([ids], run) => [
      ...ids.filter((id) => this.#articles.get(id)?.isPrivate === false).map((id) => ({ id, slug: 'new' })),
      ...(await run(SLUGS_OF_ARTICLES, [ids.filter((id) => !isNew(id))])),
    ]);
  }

  #replaceTags(): void {
    this.#replace(FIND_TAGS, async ([names], run) => [
      ...names.flatMap((name) => ({ id: this.#tags.get(name) ?? 0, name })).filter(({ id }) => id !== 0),
      ...(await run(FIND_TAGS, [names.filter((name) => !this.#tags.has(name))])),
    ]);
    this.#replace(ADD_TAGS, async ([names], run) => {
      const unknown = names.filter((name) => !this.#tags.has(name));
      const existing = new Set((await run(FIND_TAGS, [unknown])).map(({ name }) => name));
      const added = unknown.filter((name) => !existing.has(name));
      for (const name of added) this.#tags.set(copyOf(name), this.#newId());
      return names.map((name) => ({ isNew: added.includes(name) }));
    });
    this.#replace(TAG_ARTICLE, () => []);
  }

  #replaceComments(): void {
    this.#replace(ADD_COMMENTS, () => []);
    this.#replace(EMPTY_COMMENTS, () => []);
    this.#replace(COMMENT_AUTHORS, ([ids], run) => run(COMMENT_AUTHORS, [ids.filter((id) => !isNew(id))]));
    this.#replace(LOCK_TOP_COMMENTS, async ([ids, articleId], run) => [
      ...ids.filter(isNew).map((id) => ({ id, topId: id })),
      ...(await run(READ_TOP_COMMENTS, [ids.filter((id) => !isNew(id)), articleId])),
    ]);
  }

  #replaceSeries(): void {
    const added = async (
      counts: Map<number, number>,
      id: number,
      count: typeof COUNT_SERIES,
      max: number,
      run: RunStatement,
    ) => {
      const [existing] = isNew(id) ? [] : await run(count, [id]);
      const more = counts.get(id) ?? 0;
      if ((existing?.total ?? 0) + more >= max) return false;
      counts.set(id, more + 1);
      return true;
    };
    this.#replace(LOCK_SERIES, () => []);
    this.#replace(FIND_SERIES, async ([memberId, id, title], run) => {
      const found = this.#series.get(`${memberId} ${title}`);
      if (found !== undefined) return [{ id: found }];
      return isNew(memberId) ? [] : run(FIND_SERIES, [memberId, id, title]);
    });
    this.#replace(ADD_SERIES, async ([memberId, title, , , max], run) => {
      if (!(await added(this.#seriesCounts, memberId, COUNT_SERIES, max, run))) return [];
      const id = this.#newId();
      this.#series.set(`${memberId} ${title}`, id);
      return [{ id }];
    });
    this.#replace(ADD_TO_SERIES, async ([articleId, seriesId, , max], run) =>
      (await added(this.#listedCounts, seriesId, COUNT_IN_SERIES, max, run)) ? [{ id: articleId }] : [],
    );
  }

  #replaceTranslations(): void {
    this.#replace(FIND_TRANSLATIONS, async ([memberId, key, language], run) => {
      const [existing] = isNew(memberId) ? [] : await run(FIND_TRANSLATIONS, [memberId, key, language]);
      const { id, languages } = this.#translations.get(`${memberId} ${key}`) ?? {
        id: existing?.id ?? this.#newId(),
        languages: new Set(),
      };
      const articles = (existing?.articles ?? 0) + languages.size;
      const isTaken = existing?.isTaken === true || languages.has(language);
      // What is found free is taken by the article that looks for it.
      this.#translations.set(copyOf(`${memberId} ${key}`), { id, languages: languages.add(language) });
      return [{ id, articles, isTaken }];
    });
    this.#replace(ADD_TRANSLATIONS, () => []);
  }

  #replaceDrafts(): void {
    this.#replace(ADD_DRAFT, async ([memberId, , content, categoryId], run) => {
      const [existing] = isNew(memberId) ? [] : await run(COUNT_DRAFTS, [memberId]);
      const added = this.#draftCounts.get(memberId) ?? { drafts: 0, bytes: 0 };
      const bytes = added.bytes + Buffer.byteLength(content);
      const isFull = (existing?.drafts ?? 0) + added.drafts >= MAX_DRAFTS;
      if (isFull || (existing?.bytes ?? 0) + bytes > MAX_DRAFT_BYTES) return [];
      this.#draftCounts.set(memberId, { drafts: added.drafts + 1, bytes });
      const id = this.#newId();
      this.#drafts.set(id, { memberId, categoryId });
      return [{ id }];
    });
    this.#replace(FIND_DRAFT, async ([id], run) => {
      const added = this.#drafts.get(id);
      return added ? [added] : run(FIND_DRAFT, [id]);
    });
    this.#replace(SCHEDULE_DRAFT, () => []);
  }
}

const COUNT_SERIES = statement<[memberId: number], { total: number }>(
  'import_count_series',
  'select count(*) as total from series where member_id = $1',
);

const COUNT_IN_SERIES = statement<[seriesId: number], { total: number }>(
  'import_count_in_series',
  'select count(*) as total from all_articles where series_id = $1',
);

function isNew(id: number): boolean {
  return id < 0;
}
