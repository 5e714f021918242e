/** The service as a contender, started like `npm start`, from the folder of the compiled code. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AtEnd, startContender } from './contender.js';

/**
 * @param folder for the log and the secrets of the service
 * @param comments used only in the name of the log file
 * @returns URL of the service
 */
export function startDaybook(databaseUrl: string, folder: string, comments: number, atEnd: AtEnd): Promise<string> {
  const options = {
    name: 'Daybook',
    script: fileURLToPath(new URL('../src/server.js', import.meta.url)),
    databaseUrl,
    // Keeps the default log level, as in a normal start of the service.
    settings: { HOST: '127.0.0.1', DATA_DIR: folder },
    readyPath: '/readyz',
    logFile: join(folder, `daybook-${comments}.log`),
  };
  return startContender(options, atEnd);
}
