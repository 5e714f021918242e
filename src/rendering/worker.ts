/** The thread that renders, one content after another. It says that it is ready, then answers each with HTML or null. */
import { parentPort } from 'node:worker_threads';
import { renderHtml } from './html.js';

parentPort?.on('message', (content: string) => {
  parentPort?.postMessage(attempt(content));
});
parentPort?.postMessage('ready');

/** Null for what is nested deeper than the stack is. */
function attempt(content: string): string | null {
  try {
    return renderHtml(content);
  } catch {
    return null;
  }
}
