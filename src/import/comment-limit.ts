/** How many comments on one article are in memory together: a parent may come after all of its replies. */
import { importLimit } from './limit.js';
import type { Reduction } from './source.js';

const MAX_COMMENTS = importLimit({
  value: 100_000,
  about: 'Comments on one article to import. Further ones are skipped.',
});

const MAX_LENGTH = importLimit({
  value: 64 * 1024 * 1024,
  unit: 'characters',
  about: 'All comments on one article to import, with the names of their authors. Further ones are skipped.',
});

export class CommentLimit {
  #taken = 0;
  #length = 0;
  #skipped = 0;

  /** After the first comment beyond a limit, all further ones are skipped: a repeated import of the source skips the same ones. */
  admits(...texts: string[]): boolean {
    const length = texts.reduce((sum, text) => sum + text.length, this.#length);
    if (this.#skipped > 0 || this.#taken === MAX_COMMENTS || length > MAX_LENGTH) {
      this.#skipped++;
      return false;
    }
    this.#taken++;
    this.#length = length;
    return true;
  }

  get losses(): Reduction[] {
    const reason = `comments beyond ${MAX_COMMENTS} or ${MAX_LENGTH} characters of an article: skipped`;
    return this.#skipped > 0 ? [{ reason, count: this.#skipped }] : [];
  }
}
