/** The sources of imports, and the recognition of a source by its content. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { FileError } from '../../subcommand.js';
import type { ImportSource, Product, SourceInput, SourceOptions } from '../source.js';
import { wordpress } from './wordpress.js';

/** In the order of recognition: `src/cli/import/sources/<product>.ts` exports each. */
export const PRODUCTS: readonly Product[] = [wordpress];

/** @throws FileError if it cannot be read, or no product is recognized */
export async function openSource(
  path: string,
  options: SourceOptions,
): Promise<{ source: ImportSource; close: () => Promise<void> }> {
  const input = await openInput(path);
  try {
    for (const product of PRODUCTS) {
      if (await product.recognize(input)) {
        return { source: await product.open(input, options), close: () => input.close() };
      }
    }
    const names = PRODUCTS.map(({ name }) => name).join(', ');
    throw new FileError(`it is none of the formats that can be imported: ${names}`);
  } catch (error) {
    await input.close();
    throw error;
  }
}

async function openInput(path: string): Promise<SourceInput & { close(): Promise<void> }> {
  try {
    const { size } = await stat(path);
    const entry = { path: basename(path), size, open: async () => createReadStream(path) };
    return { kind: 'file', entries: () => [entry], find: () => entry, close: async () => {} };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new FileError('it does not exist', { cause: error });
    throw error;
  }
}
