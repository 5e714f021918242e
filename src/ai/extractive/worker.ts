/** Worker thread for extractive summaries. It posts `ready` after loading, then one summary for each message. */
import { parentPort } from 'node:worker_threads';
import { extract } from './extract.js';

parentPort?.on('message', (content: string) => parentPort?.postMessage(extract(content)));
parentPort?.postMessage('ready');
