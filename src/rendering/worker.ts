/** The thread that renders, one content after another. It says that it is ready, then answers each with HTML or null. */
import { parentPort } from 'node:worker_threads';
import { renderHtml } from './html.js';

export interface RenderTask {
  readonly content: string;
  /** Characters of HTML. */
  readonly maxLength: number;
}

parentPort?.on('message', (task: RenderTask) => {
  parentPort?.postMessage(attempt(task));
});
parentPort?.postMessage('ready');

/** Null where the content is nested too deep, or its HTML is too long. */
function attempt({ content, maxLength }: RenderTask): string | null {
  try {
    return renderHtml(content, maxLength);
  } catch {
    return null;
  }
}
