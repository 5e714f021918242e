/** The service itself as a contender: started as `npm start` does, beside the script that runs. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AtEnd, startContender } from './contender.js';

/**
 * @param folder takes the service's log and its secrets
 * @param comments only tells the logs apart
 * @returns the service's address
 */
export function startDaybook(databaseUrl: string, folder: string, comments: number, atEnd: AtEnd): Promise<string> {
  const options = {
    name: 'Daybook',
    script: fileURLToPath(new URL('../src/server.js', import.meta.url)),
    databaseUrl,
    // The log stays at its default level: who runs the service has it too.
    settings: { HOST: '127.0.0.1', DATA_DIR: folder },
    readyPath: '/readyz',
    logFile: join(folder, `daybook-${comments}.log`),
  };
  return startContender(options, atEnd);
}
