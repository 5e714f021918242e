/** The sources of imports, and the recognition of a source by its content. */
import { FileError } from '../../platform/errors.js';
import { type Input, openInput } from '../input.js';
import type { ImportSource, Product, SourceOptions } from '../source.js';
import { ghost } from './ghost.js';
import { hashnode } from './hashnode.js';
import { daybook, markdown } from './markdown.js';
import { medium } from './medium.js';
import { wordpress } from './wordpress.js';

/** In the order of recognition: `src/import/sources` has a file for each. */
export const PRODUCTS: readonly Product[] = [daybook, wordpress, ghost, medium, hashnode, markdown];

/** @throws FileError if it cannot be read, or no product is recognized */
export async function openSource(
  path: string,
  options: SourceOptions,
): Promise<{ source: ImportSource; leftOut: Input['leftOut']; close: () => Promise<void> }> {
  const input = await openInput(path);
  try {
    for (const product of PRODUCTS) {
      const source = await product.open(input, options);
      if (source) return { source, leftOut: input.leftOut, close: () => input.close() };
    }
    const names = PRODUCTS.map(({ name }) => name).join(', ');
    const [leftOut] = input.leftOut;
    const but = leftOut ? `. Not read of it: ${leftOut.reason}, such as ${leftOut.path}` : '';
    throw new FileError(`it is none of the formats that can be imported: ${names}${but}`);
  } catch (error) {
    await input.close();
    throw error;
  }
}
