/** Renders Markdown beside the requests, in bounded time: there is text that keeps a parser busy for minutes. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { Turns } from '../turns.js';

/** Milliseconds. The longest article of ordinary text takes 100 to 350. */
const TIME_LIMIT = 2_000;
/** Milliseconds for a new thread. */
const TIME_TO_LOAD = 10_000;
/** Characters of HTML that are kept. */
const KEPT = 20_000_000;

const turns = new Turns({ turns: 1, maxWaiting: 200, maxWait: 10_000, what: 'articles to render' });
const known = new LRUCache<string, Promise<string>>({
  max: 5_000,
  // Until it is there it counts as nothing; `remember` sets it again with its size.
  maxSize: KEPT,
});
let worker: Worker | undefined;

/**
 * The content as HTML that is safe to show. What cannot be rendered in time comes as the text that it is.
 * @throws AppError SERVICE_UNAVAILABLE where too many wait
 */
export function contentHtmlOf(content: string): Promise<string> {
  const key = createHash('sha256').update(content).digest('base64');
  return known.get(key) ?? remember(key, content);
}

function remember(key: string, content: string): Promise<string> {
  const rendered = turns.run(1, () => render(content)).then((html) => html ?? asText(content));
  known.set(key, rendered, { size: 1 });
  rendered.then(
    (html) => known.set(key, rendered, { size: html.length + 1 }),
    () => known.delete(key),
  );
  return rendered;
}

/** Null where it takes too long or cannot be done. The time that a new thread needs to load does not count. */
async function render(content: string): Promise<string | null> {
  const current = worker ?? (await start());
  worker = current;
  current.postMessage(content);
  const html = await answerOf(current, TIME_LIMIT);
  // It may still be at it, or have died of it.
  if (html === null) stop(current);
  return html;
}

/** The next thing that the thread says; null where it says nothing in time, or ends. */
async function answerOf(from: Worker, time: number): Promise<string | null> {
  try {
    const [answer] = await once(from, 'message', { signal: AbortSignal.timeout(time) });
    return answer;
  } catch {
    return null;
  }
}

async function start(): Promise<Worker> {
  const started = new Worker(new URL('./worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // The process may end while the thread waits for work.
  started.unref();
  await answerOf(started, TIME_TO_LOAD);
  return started;
}

function stop(ended: Worker): void {
  worker = undefined;
  // An error after this is of no interest to anybody.
  ended.on('error', () => {});
  void ended.terminate();
}

function asText(content: string): string {
  const escaped = content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<pre>${escaped}</pre>`;
}
