/** The sources of imports, and the recognition of a source by its content. */
import { FileError } from '../../platform/errors.js';
import type { InputEntry, LeftOut } from '../input/entries.js';
import { type Input, openInput } from '../input.js';
import type { ImportSource, Product, SourceOptions } from '../source.js';
import { ghost } from './ghost.js';
import { hashnode } from './hashnode.js';
import { CountedFiles, roleOf } from './markdown/roles.js';
import { siteOf } from './markdown/site.js';
import { daybook, markdown } from './markdown.js';
import { medium } from './medium.js';
import { wordpress } from './wordpress.js';

/** In the order of recognition: `src/import/sources` has a file for each. */
const PRODUCTS: readonly Product[] = [daybook, wordpress, ghost, medium, hashnode, markdown];

/** @throws FileError if it cannot be read, or no product is recognized */
export async function openSource(
  path: string,
  options: SourceOptions,
): Promise<{ source: ImportSource; leftOut: Input['leftOut']; close: () => Promise<void> }> {
  const input = await openInput(path);
  try {
    for (const product of PRODUCTS) {
      const source = await product.open(input, options);
      if (!source) continue;
      const leftOut = [...input.leftOut, ...(await filesBeside(input, source))];
      return { source, leftOut, close: () => input.close() };
    }
    const names = PRODUCTS.map(({ name }) => name).join(', ');
    const [leftOut] = [...input.leftOut, ...(await filesBeside(input, null))];
    const but = leftOut ? `. Not read of it: ${leftOut.reason}, such as ${leftOut.path}` : '';
    throw new FileError(`it is none of the formats that can be imported: ${names}${but}`);
  } catch (error) {
    await input.close();
    throw error;
  }
}

const ARCHIVE = /\.(?:zip|tar|tgz|gz|bz2|xz|7z|rar)$/i;

/** What may be texts of another product, which have to be imported by themselves. */
async function filesBeside(input: Input, source: ImportSource | null): Promise<LeftOut[]> {
  if (input.kind === 'file') return [];
  const site = await siteOf(input);
  const found: LeftOut[] = [];
  const counted = new CountedFiles();
  for (const file of input.entries()) {
    const { path } = file;
    const isRead = source !== null && (source.reads?.(path) ?? true);
    if (/(?:^|\/)\./.test(path)) continue;
    if (ARCHIVE.test(path))
      found.push({ path, reason: 'archives in the source: unpack them, or import each by itself' });
    if (isRead || ARCHIVE.test(path)) continue;
    const product = await productOf(file);
    if (product) found.push({ path, reason: `exports beside what is read (${product.name}): import each by itself` });
    const role = product ? null : await roleOf(site, file);
    if (role === 'text') found.push({ path, reason: 'Markdown and HTML files beside the export that is read' });
    else if (role?.isCounted) counted.add(file, role);
    else if (role) found.push({ path, reason: role.reason });
  }
  for (const { place: path, ...about } of counted.all()) found.push({ path, ...about });
  return found;
}

async function productOf(file: InputEntry): Promise<Product | undefined> {
  for (const product of PRODUCTS) if (await product.isExport?.(file)) return product;
  return undefined;
}
