/** Streaming reader of a WordPress export (WXR, an RSS document): memory use depends on the largest post, not on the file size. */
import sax from 'sax';
import { FileError } from '../../../platform/errors.js';
import { type StreamDecoder, streamDecoder } from '../../input/decode-text.js';
import type { InputEntry } from '../../input/entries.js';
import { Collector } from './collector.js';
import type { ExportRecord } from './records.js';
import { XmlRepair } from './repair.js';

export interface ReadOptions {
  /** Called after each chunk with the bytes read. */
  onBytes?: (read: number) => void;
}

/**
 * Yields the records of an export in file order: first the blog, then authors and items. The file is read lazily, as
 * records are consumed.
 * @throws FileError if the file cannot be read or is not an export; records yielded before that are valid.
 */
export async function* readExport(
  file: Pick<InputEntry, 'open'>,
  { onBytes }: ReadOptions = {},
): AsyncGenerator<ExportRecord> {
  const records: ExportRecord[] = [];
  const emit = (record: ExportRecord) => records.push(record);
  const xml = new XmlReader(new Collector(emit), new XmlRepair(emit));
  let read = 0;
  for await (const chunk of (await file.open()) as AsyncIterable<Buffer>) {
    const failure = xml.write(chunk);
    read += chunk.length;
    onBytes?.(read);
    // Records completed before the failure are valid.
    yield* records.splice(0);
    if (failure) throw failure;
  }
  xml.end();
  yield* records.splice(0);
}

/** Decodes and parses bytes, and calls the collector. Entities declared in the document (DTD) are not expanded but are an error. */
class XmlReader {
  readonly #parser = sax.parser(true, { position: true });
  readonly #repair: XmlRepair;
  #decoder: StreamDecoder | undefined;
  #isStarted = false;

  constructor(collector: Collector, repair: XmlRepair) {
    this.#repair = repair;
    this.#parser.onopentag = ({ name, attributes }) => {
      this.#isStarted = true;
      collector.open(name, attributes as Record<string, string>);
    };
    this.#parser.onclosetag = () => collector.close();
    this.#parser.ontext = (text) => collector.text(text);
    this.#parser.oncdata = (text) => collector.text(text);
    this.#parser.onerror = (error) => {
      throw this.#explain(error);
    };
  }

  /** @returns the error that ends the reading, or null */
  write(bytes: Buffer): Error | null {
    try {
      this.#decoder ??= decoderFor(bytes);
      this.#parse(bytes, true);
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  end(): void {
    this.#parse(new Uint8Array(), false);
    if (!this.#isStarted) throw new FileError('it is not an XML file: it is empty');
    this.#parser.onerror = () => {
      throw new FileError(`the file is truncated at line ${this.#parser.line + 1}: the export is not complete`);
    };
    this.#parser.close();
  }

  #parse(bytes: Uint8Array, stream: boolean): void {
    let text: string;
    try {
      text = this.#decoder?.decode(bytes, { stream }) ?? '';
    } catch (error) {
      const { encoding } = this.#decoder ?? { encoding: 'utf-8' };
      const reason = this.#isStarted
        ? `after line ${this.#parser.line + 1} it is not`
        : 'it is not an XML file: it is not';
      throw new FileError(`${reason} text in ${encoding}`, { cause: error });
    }
    try {
      const repaired = this.#repair.repair(text, !stream);
      if (repaired !== '') this.#parser.write(repaired);
    } catch (error) {
      throw error instanceof FileError ? error : this.#explain(error as Error);
    }
  }

  /** The message of sax has the position on separate lines, which are removed. */
  #explain({ message }: Error): FileError {
    const reason = message.split('\n')[0];
    if (!this.#isStarted) return new FileError(`it is not an XML file: ${reason}`);
    return new FileError(`it is not well-formed XML at line ${this.#parser.line + 1}: ${reason}. Correct this line`);
  }
}

/** Detects the encoding by byte order mark, else by the XML declaration, else UTF-8 (XML 1.0, appendix F). */
function decoderFor(bytes: Buffer): StreamDecoder {
  const marked = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.subarray(0, 2).toString('hex')];
  const declared = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1];
  const label = marked ?? declared ?? 'utf-8';
  try {
    return streamDecoder(label);
  } catch (error) {
    throw new FileError(`its encoding ${label} is not supported`, { cause: error });
  }
}
