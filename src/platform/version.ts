/** The version of this build, from package.json. */
import { createRequire } from 'node:module';

// The compiled file is in dist/src, two folders below package.json.
export const VERSION: string = createRequire(import.meta.url)('../../../package.json').version;
