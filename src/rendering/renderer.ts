/**
 * Renders Markdown in a thread, in bounded time and memory, behind a queue that is fair between clients: there is text
 * that keeps a parser busy for minutes, and text that becomes a thousand times as long.
 */
import { Counter } from 'prom-client';
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { Thread } from '../concurrency/worker-thread.js';
import { fixedLimit } from '../config/limit.js';
import { observeQueue } from '../observability/metrics/queue.js';
import { registry } from '../observability/metrics/registry.js';
import type { RenderTask } from './worker.js';

/** Goes up whenever the HTML of any content changes: stored HTML of a lower version is rendered again. */
export const RENDERER_VERSION = 1;

/** An article of ordinary text and the greatest length takes 100 to 350 ms. */
const timeLimitMs = fixedLimit({
  area: 'Writing',
  error: null,
  value: 2_000,
  unit: 'ms',
  about: 'Time to render the content of an article as HTML. Past it, the HTML is the escaped text.',
});

/** Five times the longest content: ordinary text becomes up to 1.5 times as long, a list of links three times. */
const maxLength = fixedLimit({
  area: 'Writing',
  error: null,
  value: 500_000,
  unit: 'characters',
  about: 'HTML of an article. Past it, the HTML is the escaped text.',
});

/** One render at a time. Clients that read articles without current HTML wait here, and members who write. */
export const renderQueue = new WeightedSemaphore({
  work: 'articles to render',
  permits: 1,
  maxWaiting: fixedLimit({
    area: 'Queues',
    error: 'SERVICE_UNAVAILABLE',
    value: 400,
    unit: 'count',
    about: 'Articles that wait to be rendered.',
  }),
  // As many as a page has.
  maxWaitingPerKey: fixedLimit({
    area: 'Queues',
    error: 'RATE_LIMITED',
    value: 100,
    unit: 'count',
    about: 'Articles that wait to be rendered for one member or network.',
  }),
  maxWaitMs: fixedLimit({
    area: 'Queues',
    error: 'SERVICE_UNAVAILABLE',
    value: 10_000,
    unit: 'ms',
    about: 'Time that an article waits to be rendered for a reader.',
  }),
});
observeQueue(renderQueue);

const thread = new Thread<RenderTask, string>({
  script: new URL('./worker.js', import.meta.url),
  timeLimit: timeLimitMs,
  memory: 256,
});

const renders = new Counter({
  name: 'daybook_article_renders_total',
  help: 'Articles rendered as HTML, by outcome: `escaped` are those whose HTML is the escaped text, because of a limit.',
  labelNames: ['outcome'] as const,
  registers: [registry],
});

/**
 * The content as HTML that is safe to show; the same for the same content. Only for the holder of the queue's permit.
 * @throws Error where the thread does not start
 */
export async function renderContent(content: string): Promise<string> {
  const html = await thread.run({ content, maxLength });
  renders.inc({ outcome: html === null ? 'escaped' : 'rendered' });
  return html ?? asText(content);
}

function asText(content: string): string {
  const escaped = content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<pre>${escaped}</pre>`;
}
