/** Renders Markdown beside the requests, in bounded time: there is text that keeps a parser busy for minutes. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { Thread } from '../thread.js';

/** Milliseconds. The longest article of ordinary text takes 100 to 350. */
const TIME_LIMIT = 2_000;
/** Characters of HTML that are kept. */
const KEPT = 20_000_000;

const rendering = new WeightedSemaphore({
  work: 'articles to render',
  permits: 1,
  maxWaiting: 200,
  maxWaitingPerKey: 200,
  maxWaitMs: 10_000,
});
const known = new LRUCache<string, Promise<string>>({
  max: 5_000,
  // Until it is there it counts as nothing; `remember` sets it again with its size.
  maxSize: KEPT,
});
const thread = new Thread<string, string>({
  script: new URL('./worker.js', import.meta.url),
  timeLimit: TIME_LIMIT,
  memory: 256,
});

/**
 * The content as HTML that is safe to show. What cannot be rendered in time comes as the text that it is.
 * @throws AppError SERVICE_UNAVAILABLE where too many wait
 */
export function contentHtmlOf(content: string): Promise<string> {
  const key = createHash('sha256').update(content).digest('base64');
  return known.get(key) ?? remember(key, content);
}

function remember(key: string, content: string): Promise<string> {
  const rendered = rendering.run({ key: '' }, () => thread.run(content)).then((html) => html ?? asText(content));
  known.set(key, rendered, { size: 1 });
  rendered.then(
    (html) => known.set(key, rendered, { size: html.length + 1 }),
    () => known.delete(key),
  );
  return rendered;
}

function asText(content: string): string {
  const escaped = content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<pre>${escaped}</pre>`;
}
