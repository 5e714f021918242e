/** Worker thread for rendering. It posts `ready` after loading, then HTML or null for each message. */
import { parentPort } from 'node:worker_threads';
import { renderHtml } from './html.js';

export interface RenderTask {
  readonly content: string;
  /** Maximum length of the HTML, in UTF-16 code units. */
  readonly maxLength: number;
}

parentPort?.on('message', (task: RenderTask) => {
  parentPort?.postMessage(attempt(task));
});
parentPort?.postMessage('ready');

/** @returns null where the content is nested too deeply, or its HTML is too long */
function attempt({ content, maxLength }: RenderTask): string | null {
  try {
    return renderHtml(content, maxLength);
  } catch {
    return null;
  }
}
