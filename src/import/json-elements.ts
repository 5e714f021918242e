/** Reads objects out of a JSON document one at a time: memory depends on the largest object, not on the document. */
import { TextDecoder } from 'node:util';
import { FileError, oneLine } from '../platform/errors.js';
import type { InputEntry } from './input/entries.js';
import type { Input } from './input.js';
import { importLimit } from './limit.js';

const maxLength = importLimit({
  value: 16 * 1024 * 1024,
  unit: 'characters',
  about:
    'One post with its content in all forms, or one comment with its replies, in a JSON document to import. The document is read up to a longer one.',
});

const MAX_DEPTH = 200;

/** An object of a document, of which nothing is known. */
export type Row = Record<string, unknown>;

export interface JsonElement {
  /** Names and numbers, such as `db.0.data.posts.17`. */
  path: string;
  value: Row;
}

/**
 * Yields the objects whose path is wanted, in the order of the document. Objects in a wanted one are part of it.
 * @param onBytes called with the number of bytes of each chunk
 * @throws FileError if the document ends too early, is not UTF-8, or is not JSON where it is wanted; the objects before that are valid
 */
export async function* elementsOf(
  file: InputEntry,
  isWanted: (path: string) => boolean,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<JsonElement> {
  const scanner = new Scanner(isWanted);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = 0;
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new FileError(`after ${read} bytes it is not text in UTF-8, which JSON has to be`, { cause: error });
    }
  };
  for await (const chunk of (await file.open()) as AsyncIterable<Buffer>) {
    onBytes(chunk.length);
    yield* scanner.write(decode(chunk));
    read += chunk.length;
  }
  yield* scanner.write(decode());
  scanner.end();
}

export interface Beginning {
  /** Of the objects. */
  paths: ReadonlySet<string>;
  text: string;
}

/** The first document, at most one folder deep, that begins like an export. A single file can have any name. */
export async function findDocument(
  input: Input,
  isExport: (beginning: Beginning) => boolean,
): Promise<InputEntry | null> {
  for (const file of input.entries()) {
    if (input.kind !== 'file' && !/^[^/]*(?:\/[^/]*)?\.json$/i.test(file.path)) continue;
    if (isExport(await beginningOfDocument(file))) return file;
  }
  return null;
}

/** Empty if it is not a JSON object. */
export async function beginningOfDocument(file: InputEntry): Promise<Beginning> {
  const paths = new Set<string>();
  const decoder = new TextDecoder();
  let text = '';
  const scanner = new Scanner((path) => {
    if (path.length < 100) paths.add(path);
    return false;
  });
  try {
    for await (const chunk of (await file.open()) as AsyncIterable<Buffer>) {
      const part = decoder.decode(chunk, { stream: true });
      text += part;
      if (!/^\s*\{/.test(text)) return { paths: new Set(), text: '' };
      [...scanner.write(part)];
      if (text.length > 1024 * 1024) break;
    }
  } catch {
    return { paths: new Set(), text: '' };
  }
  return { paths, text };
}

interface Container {
  isArray: boolean;
  /** Of the current value. */
  name: string;
  index: number;
  isAtName: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING = new Map([
  [0x7b, false],
  [0x5b, true],
]);
const CLOSING = new Set([0x7d, 0x5d]);

class Scanner {
  readonly #isWanted: (path: string) => boolean;
  readonly #open: Container[] = [];
  #hasBegun = false;
  #isInString = false;
  #isEscaped = false;
  #name = '';
  /** Of a wanted object that is open. */
  #wanted: { path: string; depth: number; parts: string[]; length: number } | null = null;

  constructor(isWanted: (path: string) => boolean) {
    this.#isWanted = isWanted;
  }

  *write(text: string): Generator<JsonElement> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInString) this.#readString(code, text, at);
      else if (code === QUOTE) this.#isInString = true;
      else if (code === COMMA || code === COLON) this.#separate(code);
      else if (OPENING.has(code)) {
        if (this.#enter(OPENING.get(code) ?? false)) from = at;
      } else if (CLOSING.has(code)) {
        this.#open.pop();
        if (this.#wanted?.depth === this.#open.length) yield this.#complete(text.slice(from, at + 1));
      }
    }
    if (this.#wanted) this.#keep(text.slice(from));
  }

  end(): void {
    if (this.#open.length > 0 || !this.#hasBegun)
      throw new FileError('the file is truncated: the export is not complete');
  }

  #readString(code: number, text: string, at: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) {
      this.#isInString = false;
      const parent = this.#open.at(-1);
      if (parent?.isAtName) parent.name = this.#name;
      this.#name = '';
      return;
    }
    if (!this.#wanted && this.#open.at(-1)?.isAtName && this.#name.length < 100) this.#name += text[at];
  }

  #separate(code: number): void {
    const parent = this.#open.at(-1);
    if (!parent) return;
    if (code === COMMA) parent.index++;
    parent.isAtName = code === COMMA && !parent.isArray;
  }

  /** @returns whether a wanted object begins */
  #enter(isArray: boolean): boolean {
    if (this.#open.length >= MAX_DEPTH) throw new FileError(`it is nested more than ${MAX_DEPTH} levels deep`);
    const depth = this.#open.length;
    const path = this.#wanted || isArray ? null : this.#path();
    this.#open.push({ isArray, name: '', index: 0, isAtName: !isArray });
    this.#hasBegun = true;
    if (path === null || !this.#isWanted(path)) return false;
    this.#wanted = { path, depth, parts: [], length: 0 };
    return true;
  }

  #path(): string {
    return this.#open.map(({ isArray, name, index }) => (isArray ? index : name)).join('.');
  }

  #keep(part: string): void {
    if (!this.#wanted) return;
    this.#wanted.parts.push(part);
    this.#wanted.length += part.length;
    if (this.#wanted.length > maxLength)
      throw new FileError(`${this.#wanted.path} has more than ${maxLength} characters`);
  }

  #complete(last: string): JsonElement {
    this.#keep(last);
    const { path = '', parts = [] } = this.#wanted ?? {};
    this.#wanted = null;
    try {
      return { path, value: JSON.parse(parts.join('')) };
    } catch (error) {
      throw new FileError(`${path} is not valid JSON: ${oneLine(error)}`, { cause: error });
    }
  }
}

export function rowOf(value: unknown): Row | null {
  return typeof value === 'object' && value !== null ? (value as Row) : null;
}

/** A value that should be a text: the empty text for any other one. */
export function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : '';
}
