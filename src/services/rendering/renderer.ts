/**
 * Renders Markdown in worker threads, in bounded time and memory, behind a queue that is fair between clients: some
 * inputs keep the parser busy for minutes, and some expand to a thousand times their length.
 */
import { createHash } from 'node:crypto';
import { Counter } from 'prom-client';
import { type SemaphoreOptions, WeightedSemaphore } from '../../platform/concurrency/weighted-semaphore.js';
import { WorkerThread } from '../../platform/concurrency/worker-thread.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { observeQueue } from '../../platform/observability/metrics/saturation.js';
import { type Payer, RenderingBudget } from './budget.js';
import type { Rendered, Rendering, RenderTask } from './render-worker.js';
import { visibleText } from './visible-text.js';

/** Must be incremented whenever the HTML or the text of any content changes: stored ones of a lower version are rendered again. */
export const RENDERER_VERSION = 4;

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

/** Shared by members who write and by clients that read articles without current HTML. */
const QUEUE: SemaphoreOptions = {
  work: 'articles to render',
  permits: fixedLimit({
    area: 'Queues',
    error: null,
    value: 2,
    about:
      'Concurrent renderings of articles in each process, one of each network: others do not wait for an expensive text.',
  }),
  permitsPerNetwork: 1,
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
  help: 'Articles rendered as HTML, by result; `escaped` counts those whose HTML is the escaped text because of a limit, `remembered` those of which a limit was met before.',
  labelNames: ['outcome'] as const,
});

/** Contents that met a limit, of which the last ones are remembered: 50 bytes each. */
const MAX_REMEMBERED = 10_000;

export class Renderer {
  readonly queue = observeQueue(new WeightedSemaphore(QUEUE));
  /** Without a task. Those that are started come first, so that further ones are started only when they are needed. */
  readonly #idle = Array.from({ length: QUEUE.permits }, newThread);
  readonly #running = new Set<RenderThread>();
  /** Hashes of contents that met a limit, the oldest first. */
  readonly #escaped = new Set<string>();

  constructor(readonly budget = new RenderingBudget()) {}

  /**
   * Renders content to sanitized HTML, or to escaped text past a limit. Deterministic except for the time limit.
   * The caller must hold the permit of `queue`.
   * A content that met a limit is not rendered again.
   * @param html the current HTML of the content, if only its text is needed
   * @param payer whose rendering time is used; absent: it is free
   * @throws AppError RATE_LIMITED; Error where the thread does not start, or is stopped while it extracts the text of HTML
   */
  async render(content: string, html: string | null = null, payer?: Payer): Promise<Rendering> {
    if (html === null && this.#escaped.size > 0 && this.#escaped.has(hashOf(content))) {
      renders.inc({ outcome: 'remembered' });
      return asEscaped(content);
    }
    if (payer) this.budget.require(payer);
    const result = await this.#run({ content, html, maxLength });
    // Past the time limit, the thread has ended.
    if (payer) this.budget.spend(payer, result?.ms ?? timeoutMs);
    const rendering = result?.rendering ?? null;
    if (html !== null && rendering === null) throw new Error('The text of stored HTML was not extracted');
    if (html === null) renders.inc({ outcome: rendering === null ? 'escaped' : 'rendered' });
    if (rendering === null) this.#remember(content);
    return rendering ?? asEscaped(content);
  }

  /** In one of the threads; null past the time limit. */
  async #run(task: RenderTask): Promise<Rendered | null> {
    const thread = this.#idle.shift();
    if (!thread) throw new Error('All threads render');
    this.#running.add(thread);
    let result: Rendered | null = null;
    try {
      result = await thread.run(task);
      return result;
    } finally {
      this.#running.delete(thread);
      // After a failure, its start takes longer than most texts.
      if (result === null) this.#idle.push(thread);
      else this.#idle.unshift(thread);
    }
  }

  #remember(content: string): void {
    const [oldest] = this.#escaped;
    if (oldest !== undefined && this.#escaped.size >= MAX_REMEMBERED) this.#escaped.delete(oldest);
    this.#escaped.add(hashOf(content));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running, ...this.#idle].map((thread) => thread.stop()));
  }
}

type RenderThread = WorkerThread<RenderTask, Rendered>;

function newThread(): RenderThread {
  return new WorkerThread({ script: new URL('./render-worker.js', import.meta.url), timeoutMs, maxHeapMb: 256 });
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64');
}

/** Content that cannot be rendered. */
export function asEscaped(content: string): Rendering {
  const escaped = content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const html = `<pre>${escaped}</pre>`;
  return { html, text: visibleText(html), mentioned: [] };
}
