/** Renders articles on write, on read where the stored HTML is missing or of an older renderer version, and in jobs. */
import type { TaskOptions } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/fixed-limit.js';
import type { Config } from '../config/index.js';
import { type Database, sqlState } from '../database/pool.js';
import {
  findRendering,
  type Rendered,
  replaceRendering,
  type StoredHtml,
  type StoredRendering,
} from '../models/article/html.js';
import { type Log } from '../observability/log.js';
import { toRelativeImageUrls } from './image-urls.js';
import { RENDERER_VERSION, type Renderer } from './renderer.js';

const maxWaitForWriteMs = fixedLimit({
  area: 'Queues',
  error: null,
  value: 5_000,
  unit: 'ms',
  about:
    'Maximum time that an article waits to be rendered before it is stored. Beyond it, the article is stored without HTML and rendered when it is first read.',
});

/**
 * Must run before the transaction that writes the content.
 * @param key of the client in the queue
 * @param publicUrl absent where the content cannot refer to images of this service
 * @returns null if the renderer is too busy or fails: the article is then rendered on its first read
 */
export async function renderForWrite(
  renderer: Renderer,
  content: string,
  key: string,
  publicUrl?: string,
): Promise<Rendered | null> {
  const signal = AbortSignal.timeout(maxWaitForWriteMs);
  try {
    return await renderer.queue.run({ key, signal: () => signal }, () => render(renderer, content, publicUrl));
  } catch {
    return null;
  }
}

/**
 * Renders and stores the HTML of an article without current HTML. Of concurrent readers, one renders it; the others find
 * the stored HTML when they get the permit.
 * @param task of the reader in the queue
 * @returns HTML with relative image URLs, as it is stored; null if the article does not exist
 * @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED
 */
export async function renderStored(
  services: RenderServices,
  articleId: number,
  task: TaskOptions,
): Promise<StoredHtml | null> {
  const { database, log, renderer } = services;
  return renderer.queue.run(task, async () => {
    const found = await findRendering(database, articleId, RENDERER_VERSION);
    if (!found) return null;
    if (found.html !== null) return { html: found.html, images: found.images };
    const { content, rendered } = await renderMissing(services, found);
    await replaceRendering(database, articleId, content, rendered).catch((error) =>
      log.warn({ code: sqlState(error), articleId }, 'storing the rendered HTML failed'),
    );
    return { html: rendered.html, images: found.images };
  });
}

/**
 * Renders and stores what is missing or of an older renderer version. The permit is released before the result is stored, which updates the
 * search index.
 * @returns the visible text; null if the article does not exist
 * @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED
 */
export async function completeRendering(
  services: RenderServices,
  articleId: number,
  task: TaskOptions,
): Promise<string | null> {
  const found = await findRendering(services.database, articleId, RENDERER_VERSION);
  if (!found) return null;
  if (found.content === null) return found.text;
  const { content, rendered } = await services.renderer.queue.run(task, () => renderMissing(services, found));
  await replaceRendering(services.database, articleId, content, rendered);
  return rendered.text;
}

interface RenderServices {
  readonly database: Database;
  readonly config: Config;
  readonly log: Log;
  readonly renderer: Renderer;
}

async function renderMissing({ renderer, config }: RenderServices, { content, html }: StoredRendering) {
  const source = content ?? '';
  return { content: source, rendered: await render(renderer, source, config.publicUrl, html) };
}

async function render(
  renderer: Renderer,
  content: string,
  publicUrl: string | undefined,
  current: string | null = null,
): Promise<Rendered> {
  const { html, text } = await renderer.render(content, current);
  const stored = publicUrl === undefined ? html : toRelativeImageUrls(html, publicUrl);
  return { version: RENDERER_VERSION, html: stored, text };
}
