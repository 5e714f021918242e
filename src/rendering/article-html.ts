/** Renders articles on write, and on read where the stored HTML is missing or of an older renderer version. */
import type { TaskOptions } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/fixed-limit.js';
import type { Config } from '../config/index.js';
import { type Database, sqlState } from '../database/pool.js';
import { findHtmlOrContent, type RenderedHtml, replaceArticleHtml, type StoredHtml } from '../models/article/html.js';
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
): Promise<RenderedHtml | null> {
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
  { database, config, log, renderer }: { database: Database; config: Config; log: Log; renderer: Renderer },
  articleId: number,
  task: TaskOptions,
): Promise<StoredHtml | null> {
  return renderer.queue.run(task, async () => {
    const found = await findHtmlOrContent(database, articleId, RENDERER_VERSION);
    if (!found || found.content === null) return found;
    const rendered = await render(renderer, found.content, config.publicUrl);
    await replaceArticleHtml(database, articleId, found.content, rendered).catch((error) =>
      log.warn({ code: sqlState(error), articleId }, 'storing the rendered HTML failed'),
    );
    return { html: rendered.html, images: found.images };
  });
}

async function render(renderer: Renderer, content: string, publicUrl: string | undefined): Promise<RenderedHtml> {
  const html = await renderer.render(content);
  return { version: RENDERER_VERSION, html: publicUrl === undefined ? html : toRelativeImageUrls(html, publicUrl) };
}
