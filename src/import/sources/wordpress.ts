/** WordPress exports (WXR): one XML file, which is read as a stream. */
import { FileError } from '../../platform/errors.js';
import { dateOf } from '../dates.js';
import type { InputEntry } from '../input/entries.js';
import { beginningOf } from '../input.js';
import { importLimit } from '../limit.js';
import {
  type CompletedContent,
  type ImportSource,
  originOf,
  type Product,
  type SourceItem,
  type SourceOptions,
  type SourcePerson,
} from '../source.js';
import { plainLine } from '../text.js';
import { MediaLibrary } from './wordpress/galleries.js';
import { authorOf, itemsOf, toLogin } from './wordpress/items.js';
import { readExport } from './wordpress/reader.js';
import type { BlogRecord, ExportRecord } from './wordpress/records.js';

export const wordpress: Product = {
  name: 'a WordPress export (WXR)',
  async open(input, options) {
    const [file] = input.entries();
    if (input.kind !== 'file' || !file || !/<rss[\s>]/.test(await beginningOf(file))) return null;
    return new WordPressSource(file, options, await readBlog(file));
  },
  isExport: async (file) => /<rss\s[\s\S]*wordpress\.org\/export\//.test(await beginningOf(file)),
};

const maxKeptLength = importLimit({
  value: 256 * 1024 * 1024,
  unit: 'characters',
  about:
    'Authors and media library of a WordPress export, which are in memory during its import, with 200 more for each. An export with more is rejected.',
});

async function readBlog(file: InputEntry): Promise<BlogRecord> {
  for await (const record of readExport(file)) if (record.kind === 'blog') return record;
  throw new FileError('it is not a WordPress export: it has no <channel>');
}

class WordPressSource implements ImportSource {
  readonly product = 'WordPress';
  readonly origin: string;
  readonly url: string;
  readonly #file: InputEntry;
  readonly #options: SourceOptions;
  readonly #exportedAt: Date;
  readonly #authors = new Map<string, SourcePerson>();
  readonly #media = new MediaLibrary();
  #read = 0;
  #kept = 0;

  constructor(file: InputEntry, options: SourceOptions, blog: BlogRecord) {
    this.#file = file;
    this.#options = options;
    this.#exportedAt = dateOf(blog.exportedAt) ?? options.now;
    this.url = plainLine(blog.url);
    this.origin = originOf(this.url);
  }

  async *items(): AsyncGenerator<SourceItem> {
    this.#kept = 0;
    const onBytes = (read: number) => {
      this.#read = read;
    };
    for await (const record of readExport(this.#file, { onBytes })) yield* this.#itemsOf(record);
  }

  progress() {
    return { read: this.#read, size: this.#file.size };
  }

  completeContent(key: string, content: string): CompletedContent {
    return this.#media.complete(key, content);
  }

  completeImage(reference: string) {
    return this.#media.find(reference);
  }

  *#itemsOf(record: ExportRecord): Generator<SourceItem> {
    if (record.kind === 'author') {
      const person = authorOf(record);
      this.#keep(record.login, record.email, record.displayName);
      this.#authors.set(toLogin(record.login), person);
      yield { kind: 'member', person };
    } else if (record.kind === 'repair') {
      yield { kind: 'repaired', place: `line ${record.line}`, reason: record.reason };
    } else if (record.kind === 'item') {
      if (record.type === 'attachment') {
        this.#keep(record.attachmentUrl, record.title, record.alt);
        this.#media.add(record);
      }
      yield* itemsOf(record, {
        authorOf: (creator) =>
          this.#authors.get(toLogin(creator)) ??
          authorOf({ kind: 'author', login: creator, email: '', displayName: '' }),
        exportedAt: this.#exportedAt,
        publishProtected: this.#options.publishProtected,
      });
    }
  }

  #keep(...texts: string[]): void {
    this.#kept += texts.reduce((sum, text) => sum + text.length, 200);
    if (this.#kept > maxKeptLength)
      throw new FileError(`its authors and its media library have more than ${maxKeptLength} characters`);
  }
}
