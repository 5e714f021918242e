/** Imports a source article by article, each in its own transaction. */
import { knownAddress } from '../models/member/address.js';
import { type Database, sqlState } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { isSameEmailSql } from '../platform/email-address.js';
import { FileError, StoppedError } from '../platform/errors.js';
import { renderForWrite } from '../services/rendering/article-html.js';
import { Renderer } from '../services/rendering/renderer.js';
import { type PreparedArticle, saveArticle } from './articles.js';
import { replaceEverywhere, replaceReferences } from './content-references.js';
import { validDate } from './dates.js';
import { saveDraft } from './drafts.js';
import type { Input } from './input.js';
import { saveMembers } from './members.js';
import { memberPerson, type Person, personOf, profiledPerson } from './person.js';
import { type PictureStore, Pictures } from './pictures.js';
import { type ArticlePlan, LIMITS, lineOf, nameOf, type PlanContext, planArticle } from './plan.js';
import { Preview } from './preview.js';
import { References } from './references.js';
import { type Note, note, Report, type Result } from './report.js';
import { saveSeries } from './series.js';
import type {
  ImportSource,
  LeftOut,
  SourceArticle,
  SourceImage,
  SourceItem,
  SourceMember,
  SourceSeries,
} from './source.js';
import { openSource } from './sources/index.js';
import { copyOf, shorten, storable } from './text.js';
import { findImported, type Journal, journalOf, storedKey } from './writer.js';

export interface Progress {
  /** Of the source. `size` is 0 if unknown. */
  read: number;
  size: number;
  report: Report;
}

export interface LoadOptions {
  /** Imports password-protected posts, which become public. */
  publishProtected?: boolean;
  /** Email of the member who is the author where the source names none. */
  authorEmail?: string | undefined;
  /** URL of the page of an article, with `{id}` or `{slug}`. Null: links between articles stay as they are. */
  articleUrl?: string | null;
  /** Called when the first picture is stored. */
  openPictures?: (() => Promise<PictureStore>) | undefined;
  /** Whether pictures of other hosts are downloaded. Default: true if there is `openPictures`. */
  downloads?: boolean;
  /** Converts the contents of articles again that an earlier import added, and that were not edited since. */
  isUpdate?: boolean;
  /** Writes nothing, and reports the same. */
  isDryRun?: boolean;
  onProgress?: (progress: Progress) => void;
  /** Aborting stops the import after the current article. */
  signal?: AbortSignal;
}

/** Members that are saved together, before the articles. */
const MAX_UNSAVED = 1_000;

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation): the error is in the data. */
const REJECTED_DATA = /^2[23]/;

const WITHOUT_KEY = 'posts without an id: they could not be identified in a repeated import';

const SAME_KEY = 'posts with the id of an earlier one in the source: they cannot be told apart';

const MEMBER_WITH_EMAIL = statement<[email: string], { id: number }>(
  'import_member_with_email',
  `select id from members where ${isSameEmailSql('email', '$1')} and pending_since is null`,
);

/**
 * Imports the source at `path`. Connects once it is recognized. `report` counts what is committed, also after an error.
 * @throws FileError if the source cannot be read to its end, or the import was stopped; articles already committed stay.
 */
export async function loadExport(
  connect: () => Promise<Database>,
  path: string,
  report: Report,
  options: LoadOptions = {},
): Promise<void> {
  const { publishProtected = false } = options;
  const { source, leftOut, close } = await openSource(path, { publishProtected, now: new Date() });
  try {
    await loadSource(await connect(), source, report, options, leftOut);
  } finally {
    await close();
  }
}

/** @param leftOut the files of the input that no source reads, such as links @throws as `loadExport` */
export async function loadSource(
  database: Database,
  source: ImportSource,
  report: Report,
  options: LoadOptions = {},
  leftOut: Input['leftOut'] = [],
): Promise<void> {
  const loader = await Loader.open(database, source, report, { ...options, renderer });
  await loader.load(leftOut);
}

/** Its thread is that of all imports of the process, and ends with it. */
const renderer = new Renderer();

interface Prepared extends PreparedArticle {
  plan: ArticlePlan;
  files: ReadonlyMap<string, string>;
}

type LoaderOptions = LoadOptions & { renderer: Renderer };

class Loader {
  readonly #journal: Journal;
  readonly #source: ImportSource;
  readonly #report: Report;
  readonly #options: LoaderOptions;
  readonly #context: PlanContext;
  readonly #database: Database;
  #pictures: Promise<Pictures> | undefined;
  #publicUrl: string | undefined;
  readonly #references: References;
  readonly #keys = new Set<string>();
  /** Of the articles that are there already, for an update. */
  readonly #existing = new Set<string>();
  #unsaved: { person: Person; image: SourceImage | null }[] = [];

  static async open(database: Database, source: ImportSource, report: Report, options: LoaderOptions): Promise<Loader> {
    const { authorEmail } = options;
    const [author] =
      authorEmail === undefined
        ? []
        : await database.query(MEMBER_WITH_EMAIL, [await knownAddress(database, authorEmail)]);
    if (authorEmail !== undefined && !author)
      throw new FileError(`no member of this service has the email ${authorEmail}, which --author names`);
    const defaultAuthor = (place: string) => {
      if (author) return memberPerson(author.id);
      throw new FileError(
        `it names no author of ${place}: add --author EMAIL, with the email of a member of this service`,
      );
    };
    return new Loader(database, source, report, options, { defaultAuthor, now: new Date(database.now()) });
  }

  private constructor(
    database: Database,
    source: ImportSource,
    report: Report,
    options: LoaderOptions,
    context: PlanContext,
  ) {
    const {
      renderer,
      articleUrl = null,
      isDryRun = false,
      isUpdate = false,
      openPictures,
      downloads = true,
      signal,
    } = options;
    this.#database = database;
    this.#journal = isDryRun ? new Preview(database, source.origin) : journalOf(database, source.origin);
    this.#source = source;
    this.#report = report;
    this.#options = options;
    this.#context = context;
    const { product, origin, recognition } = source;
    report.source = { product, origin, ...(recognition && { recognition }) };
    report.isDryRun = isDryRun;
    const pictures = openPictures && downloads ? () => this.#openPictures() : null;
    const storedPictures = openPictures && isUpdate ? () => this.#openPictures() : null;
    const shared = { journal: this.#journal, source, report, renderer, isDryRun, signal };
    this.#references = new References({ ...shared, pictures, storedPictures, articleUrl });
  }

  async load(leftOut: Input['leftOut']): Promise<void> {
    for (const { path, ...about } of leftOut) this.#leaveOut({ kind: 'left out', place: path, ...about });
    for await (const item of this.#items()) {
      if (item.kind === 'member') await this.#addMember(item);
      else if (item.kind === 'left out') this.#leaveOut(item);
      else if (item.kind === 'repaired') this.#report.addNotes([note('changed', item.reason, item.place)]);
      else if (item.kind === 'series') await this.#addSeries(item);
      else await this.#loadArticle(item);
    }
    await this.#saveAuthors();
    if (this.#options.isUpdate) await this.#update();
    if (this.#options.isDryRun) await this.#previewReferences();
    else await this.#references.save(() => this.#showProgress());
  }

  async *#items(): AsyncGenerator<SourceItem> {
    for await (const item of this.#source.items()) {
      this.#showProgress();
      if (this.#options.signal?.aborted) throw new StoppedError('the import was stopped');
      yield item;
    }
  }

  /** The contents of new articles are not stored: they are read a second time, when all articles are known. */
  async #previewReferences(): Promise<void> {
    for await (const item of this.#items()) {
      if (item.kind !== 'article') continue;
      const { article } = planArticle(item, this.#context);
      await this.#references.preview(article, article.state === 'DRAFT');
    }
  }

  /** Reads the source again: contents can refer to any item of it, such as a picture at its end. */
  async #update(): Promise<void> {
    for await (const item of this.#items()) {
      if (item.kind !== 'article' || !this.#existing.delete(storedKey(item.key))) continue;
      const { article } = planArticle(item, this.#context);
      const content = withFiles(article.content, await this.#storeFiles(article));
      await this.#references.update(article, content, this.#aboutOf(item));
    }
  }

  #aboutOf({ addresses, isIncomplete = false }: SourceArticle) {
    return { base: addresses.find((address) => URL.canParse(address)) ?? this.#source.url ?? '', isIncomplete };
  }

  #showProgress(): void {
    this.#options.onProgress?.({ ...this.#source.progress(), report: this.#report });
  }

  #leaveOut({ place, reason, count }: LeftOut): void {
    this.#report.addItem(place, 'skipped');
    this.#report.addNotes([note('skipped', reason, place, count)], place);
  }

  /** Saves authors before articles, so that a commenter with an author's email is matched to that author. */
  async #saveAuthors(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const unsaved = this.#unsaved;
    this.#unsaved = [];
    const members = await this.#saveMembers(unsaved.map(({ person }) => person));
    for (const { person, image } of unsaved) {
      const memberId = members.get(person);
      if (!image || !memberId) continue;
      await (await this.#openPictures()).addProfileImage(image, memberId, person.keys.at(-1) ?? '');
    }
  }

  async #addMember({ person, profile }: SourceMember): Promise<void> {
    const image = profile?.image ?? null;
    this.#unsaved.push({ person: profile ? profiledPerson(person, profile) : personOf(person), image });
    if (this.#unsaved.length >= MAX_UNSAVED) await this.#saveAuthors();
  }

  async #saveMembers(people: readonly Person[]): Promise<Map<Person, number | null>> {
    const part = new Report();
    const members = await this.#journal.transaction((writer) => saveMembers(writer, people, part));
    this.#report.include(part);
    return members;
  }

  async #addSeries({ author, title, description, updatedAt, place }: SourceSeries): Promise<void> {
    await this.#saveAuthors();
    const person = personOf(author);
    const part = new Report();
    await this.#journal.transaction(async (writer) => {
      const memberId = (await saveMembers(writer, [person], part)).get(person) ?? null;
      if (memberId === null) return;
      const series = {
        title: shorten(lineOf(title), LIMITS.seriesTitle).trim(),
        description: shorten(storable(description), LIMITS.seriesDescription),
        updatedAt: validDate(updatedAt),
      };
      if (series.title !== '') await saveSeries(writer, { author: person, memberId, place }, series, part);
    });
    this.#report.include(part, place);
  }

  async #loadArticle(item: SourceArticle): Promise<void> {
    const key = copyOf(storedKey(item.key));
    const reason = key === '' ? WITHOUT_KEY : this.#keys.has(key) ? SAME_KEY : null;
    if (reason !== null) return this.#leaveOut({ kind: 'left out', place: nameOf(item), reason });
    this.#keys.add(key);
    await this.#saveAuthors();
    const { article, skipped } = planArticle(item, this.#context);
    const isDraft = article.state === 'DRAFT';
    const files = await this.#write(article, skipped);
    if (!isDraft) for (const address of item.addresses) this.#report.oldAddresses.add(address, article.key);
    this.#references.addPost(article, { ...this.#aboutOf(item), files });
  }

  /** @returns the addresses of the files of the source that are stored, by their references in the content */
  async #write(article: ArticlePlan, skipped: readonly Note[]): Promise<ReadonlyMap<string, string>> {
    const { place, title } = article;
    let files: Prepared['files'] = new Map();
    try {
      const part = new Report();
      const prepared = await this.#prepare(article);
      files = prepared.files;
      const result = await this.#journal.transaction<Result>((writer) =>
        article.state === 'DRAFT'
          ? saveDraft(writer, prepared.plan, prepared.image, part)
          : saveArticle(writer, prepared.plan, prepared, part),
      );
      this.#report.addItem(place, result, title);
      this.#report.include(part, place);
      const isExisting = result === 'unchanged' || result === 'updated';
      if (this.#options.isUpdate && isExisting && article.state !== 'DRAFT')
        this.#existing.add(copyOf(storedKey(article.key)));
    } catch (error) {
      if (!REJECTED_DATA.test(sqlState(error) ?? '')) throw error;
      this.#report.rejected++;
      this.#report.addItem(place, 'skipped', title);
      const reason = `articles that the database rejected: ${(error as Error).message}`;
      this.#report.addNotes([note('skipped', reason, nameOf(article))], place);
    }
    this.#report.addNotes(skipped, place);
    return files;
  }

  /** What takes long, before the transaction. Nothing if the article was imported before, since its content is not written again. */
  async #prepare(plan: ArticlePlan): Promise<Prepared> {
    const kinds = plan.state === 'DRAFT' ? (['draft', 'article'] as const) : (['article', 'draft'] as const);
    for (const kind of kinds) {
      const imported = await findImported(this.#journal, kind, [plan.key]);
      if (imported.has(plan.key)) return { plan, rendered: null, image: null, files: new Map() };
    }
    const stored = await this.#storeFiles(plan);
    const content = withFiles(plan.content, stored);
    const isRendered = plan.state !== 'DRAFT' && !this.#options.isDryRun;
    const rendered = isRendered
      ? await renderForWrite(this.#options.renderer, content, { key: 'import' }, this.#publicUrl)
      : null;
    return { plan: { ...plan, content }, rendered, image: stored.image, files: stored.addresses };
  }

  /** Files of the source, as images of the author. */
  async #storeFiles(plan: ArticlePlan) {
    const addresses = new Map<string, string>();
    const unique = new Map<string, string>();
    // A content may have been shortened.
    const files = plan.images.filter(({ open, reference }) => open && plan.content.includes(storable(reference)));
    const feature = plan.image?.open ? plan.image : null;
    if (files.length === 0 && !feature) return { addresses, unique, image: null };
    const memberId = (await this.#saveMembers([plan.author])).get(plan.author) ?? null;
    // The article is then skipped, with its reason.
    if (memberId === null) return { addresses, unique, image: null };
    const pictures = await this.#openPictures();
    for (const file of files) {
      const picture = await pictures.fromFile(file, memberId, plan.place);
      if (picture) (file.isStored ? unique : addresses).set(storable(file.reference), pictures.urlOf(picture));
    }
    const image = feature && (await pictures.fromFile(feature, memberId, plan.place));
    return { addresses, unique, image };
  }

  /** When the first picture is stored: most exports have none. */
  #openPictures(): Promise<Pictures> {
    const open = async () => {
      const store = await this.#options.openPictures?.();
      if (!store) throw new Error('pictures cannot be stored');
      this.#publicUrl = store.publicUrl;
      const { isDryRun = false, signal } = this.#options;
      return new Pictures({
        database: this.#database,
        journal: this.#journal,
        report: this.#report,
        store,
        isDryRun,
        signal,
      });
    };
    this.#pictures ??= open();
    return this.#pictures;
  }
}

interface StoredFiles {
  addresses: ReadonlyMap<string, string>;
  unique: ReadonlyMap<string, string>;
}

function withFiles(content: string, { addresses, unique }: StoredFiles): string {
  return replaceEverywhere(replaceReferences(content, addresses), unique);
}
