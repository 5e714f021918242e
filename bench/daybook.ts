/** The service as a contender, started like `npm start`, from the folder of the compiled code. */
import { fileURLToPath } from 'node:url';
import { type ContenderOptions, type Launch, startContender } from './contender.js';

/** @returns URL of the service */
export function startDaybook(
  { settings, ...options }: Omit<ContenderOptions, 'command' | 'readyPath'>,
  launch: Launch,
): Promise<string> {
  const command = [fileURLToPath(new URL('../src/server.js', import.meta.url))];
  // Keeps the default log level, as in a normal start of the service.
  const all = { HOST: '127.0.0.1', DATA_DIR: launch.folder, ...settings };
  return startContender({ ...options, command, settings: all, readyPath: '/readyz' }, launch);
}
