/**
 * Renders Markdown in a worker thread, in bounded time and memory, behind a queue that is fair between clients: some
 * inputs keep the parser busy for minutes, and some expand to a thousand times their length.
 */
import { Counter } from 'prom-client';
import { type SemaphoreOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { WorkerThread } from '../../platform/concurrency/worker-thread.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { sharedResource } from '../../platform/config/shared-resource.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';
import type { Rendering, RenderTask } from './render-worker.js';
import { visibleText } from './visible-text.js';

/** Must be incremented whenever the HTML or the text of any content changes: stored ones of a lower version are rendered again. */
export const RENDERER_VERSION = 3;

/** Ordinary text of the maximum length takes 100 to 350 ms. */
const timeoutMs = fixedLimit({
  area: 'Writing',
  error: null,
  value: 2_000,
  unit: 'ms',
  about: 'Maximum time to render the content of an article as HTML. Beyond it, the HTML is the escaped text.',
});

/** Five times the maximum length of the content: ordinary text expands up to 1.5 times, a list of links three times. */
const maxLength = fixedLimit({
  area: 'Writing',
  error: null,
  value: 500_000,
  unit: 'characters',
  about: 'Length of the HTML of an article. Beyond it, the HTML is the escaped text.',
});

sharedResource({
  name: 'Rendering of articles',
  queue: 'articles to render',
  bound: '1 at a time, for at most 2 s; 400 wait for at most 10 s',
  fairness: 'Clients in turn; of a full queue, the newest task of the client with the most is rejected.',
  largestShare: '1 article at a time; 100 wait',
  test: ['test/hostile/attacks/shared-work.ts', 'the same articles in one document, and in feeds'],
});

/** One rendering at a time, shared by members who write and by clients that read articles without current HTML. */
const QUEUE: SemaphoreOptions = {
  work: 'articles to render',
  permits: 1,
  maxWaiting: fixedLimit({
    area: 'Queues',
    error: 'SERVICE_UNAVAILABLE',
    value: 400,
    about: 'Articles that wait to be rendered, in each process.',
  }),
  // The maximum number of articles on a page.
  maxWaitingPerKey: fixedLimit({
    area: 'Queues',
    error: 'RATE_LIMITED',
    value: 100,
    about: 'Articles that wait to be rendered for one member or network, in each process.',
  }),
  maxWaitMs: fixedLimit({
    area: 'Queues',
    error: 'SERVICE_UNAVAILABLE',
    value: 10_000,
    unit: 'ms',
    about: 'Maximum time that an article waits to be rendered for a reader.',
  }),
};

const renders = new Counter({
  name: 'daybook_article_renders_total',
  help: 'Articles rendered as HTML, by result; `escaped` counts those whose HTML is the escaped text because of a limit.',
  labelNames: ['outcome'] as const,
});

export class Renderer {
  readonly queue = observeQueue(new WeightedSemaphore(QUEUE));
  readonly #thread = new WorkerThread<RenderTask, Rendering>({
    script: new URL('./render-worker.js', import.meta.url),
    timeoutMs,
    maxHeapMb: 256,
  });

  /**
   * Renders content to sanitized HTML, or to escaped text past a limit. Deterministic except for the time limit.
   * The caller must hold the permit of `queue`.
   * @param html the current HTML of the content, if only its text is needed
   * @throws Error where the thread does not start, or is stopped while it extracts the text of HTML
   */
  async render(content: string, html: string | null = null): Promise<Rendering> {
    const rendering = await this.#thread.run({ content, html, maxLength });
    if (html === null) renders.inc({ outcome: rendering === null ? 'escaped' : 'rendered' });
    else if (rendering === null) throw new Error('The text of stored HTML was not extracted');
    return rendering ?? asEscaped(content);
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }
}

function asEscaped(content: string): Rendering {
  const escaped = content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const html = `<pre>${escaped}</pre>`;
  return { html, text: visibleText(html), mentioned: [] };
}
