/** Names of exported files: unique also on file systems that ignore case and normalization, and short enough for all of them. */
import { createHash } from 'node:crypto';
import { slugOf } from '../models/article/slug.js';

/** In UTF-8, with an extension of five characters. The limit of file systems is 255 bytes or UTF-16 code units, also in NFD. */
const MAX_NAME_BYTES = 180;
const EXTENSION_BYTES = '.json'.length;

/** Names with a number where equal, in the order in which they are added. */
export class FileNames {
  /** By the hash of a name that is taken: the next number to try. Hashes, because there is an entry for each text. */
  readonly #numbers = new Map<number, number>();

  /** @param slug null for a text without one @returns without an extension */
  add({ createdAt, slug, title }: { createdAt: Date; slug: string | null; title: string }): string {
    const name = `${createdAt.toISOString().slice(0, 10)}-${slugOf(slug ?? title)}`;
    const first = cut(name, '');
    let number = this.#numbers.get(hashOf(first)) ?? 1;
    let free = number === 1 ? first : cut(name, `-${number}`);
    while (this.#numbers.has(hashOf(free))) free = cut(name, `-${++number}`);
    this.#numbers.set(hashOf(free), 2);
    this.#numbers.set(hashOf(first), number + 1);
    return free;
  }
}

/** At a code point. */
function cut(name: string, suffix: string): string {
  let bytes = EXTENSION_BYTES + suffix.length;
  let end = 0;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_NAME_BYTES) break;
    end += character.length;
  }
  return name.slice(0, end).replace(/-$/, '') + suffix;
}

/** 48 bits. Of names between which a file system may make no difference, it is the same; two others with the same hash differ by a number too. */
function hashOf(name: string): number {
  const folded = name.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
  return createHash('sha256').update(folded).digest().readUIntBE(0, 6);
}
