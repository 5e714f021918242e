/** The sources of imports, and the recognition of a source by its content. */
import type { Readable } from 'node:stream';
import type { ImportSource } from '../source.js';

/** A file, a folder or an archive. */
export interface SourceInput {
  /** `file` has one entry, whose path is its name. */
  readonly kind: 'file' | 'folder' | 'archive';
  entries(): Iterable<SourceFile>;
  find(path: string): SourceFile | null;
}

export interface SourceFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  open(): Promise<Readable>;
}

/** How one product is recognized and read. */
export interface Product {
  /** For messages: 'a WordPress export (WXR)'. */
  readonly name: string;
  /** By content, not by name; reads as little as possible. Must not throw for content of any other kind. */
  recognize(input: SourceInput): Promise<boolean>;
  /** The caller closes the input after the source. @throws FileError if it cannot be read */
  open(input: SourceInput, options: SourceOptions): Promise<ImportSource>;
}

export interface SourceOptions {
  /** Imports password-protected articles of WordPress, which become public. */
  publishProtected: boolean;
  now: Date;
}

/** In the order of recognition: `src/cli/import/sources/<product>.ts` exports each. */
export const PRODUCTS: readonly Product[] = [];
