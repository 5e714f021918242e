/** The thread that summarises, one content after another. It says that it is ready, then answers each. */
import { parentPort } from 'node:worker_threads';
import { extract } from './extract.js';

parentPort?.on('message', (content: string) => parentPort?.postMessage(extract(content)));
parentPort?.postMessage('ready');
