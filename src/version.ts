/** The version of this build, as package.json has it. */
import { createRequire } from 'node:module';

// Compiled, this file is two folders below package.json: dist/src.
export const VERSION: string = createRequire(import.meta.url)('../../package.json').version;
