/** Packages of functions that few installations use: a clone and the container have them, and the npm package does not bring them. */
import { createRequire } from 'node:module';
import { OperatorError } from './errors.js';

/**
 * @param setting that needs the packages
 * @throws {OperatorError} with the command that installs them, if they are missing
 */
export async function importOptional<Module>(setting: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const { peerDependencies } = createRequire(import.meta.url)('../../../package.json');
    const scope = / '(@[^/']+)\//.exec((error as Error).message)?.[1] ?? '';
    const packages = Object.keys(peerDependencies)
      .filter((name) => name.startsWith(scope))
      .map((name) => `${name}@${peerDependencies[name]}`);
    throw new OperatorError(
      `${setting} needs packages that are not installed. Run "npm install ${packages.join(' ')}" where the package daybook is installed.`,
      { cause: error },
    );
  }
}
