/** Renders articles on write, on read where the stored HTML is missing or of an older renderer version, and in jobs. */
import { findRendering, type Rendered, replaceRendering, type StoredHtml } from '../../models/article/html.js';
import { IMAGES_BY_KEY } from '../../models/image.js';
import type { Reader } from '../../models/reader.js';
import type { TaskOptions } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Config } from '../../platform/config/index.js';
import { type Database, sqlState } from '../../platform/database/pool.js';
import { type Log } from '../../platform/observability/log.js';
import type { ImageStore } from '../images/store.js';
import { clientTask, type QueuedRequest } from '../limits/client-task.js';
import type { Limits } from '../limits/limits.js';
import type { Payer } from './budget.js';
import { toRelativeImageUrls } from './image-urls.js';
import { RENDERER_VERSION, type Renderer } from './renderer.js';
import { imageKeysIn, toServedHtml } from './served-html.js';

const maxWaitForWriteMs = fixedLimit({
  area: 'Queues',
  error: null,
  value: 5_000,
  unit: 'ms',
  about:
    'Maximum time that an article waits to be rendered before it is stored. Beyond it, the article is stored without HTML, which a job or its first reader renders.',
});

/**
 * Must run before the transaction that writes the content.
 * @param task the client in the queue, whose rendering time is used
 * @param publicUrl absent where the content cannot refer to images of this service
 * @returns null if the renderer is too busy or fails, or the rendering time is used up: the article is then rendered by a job, or on its first read
 */
export async function renderForWrite(
  renderer: Renderer,
  content: string,
  task: Payer,
  publicUrl?: string,
): Promise<Rendered | null> {
  const signal = AbortSignal.timeout(maxWaitForWriteMs);
  try {
    const queued = { ...task, signal: () => signal };
    return await renderer.queue.run(queued, () => render(renderer, content, publicUrl, task));
  } catch {
    return null;
  }
}

/** A request that waits for the renderer. */
export interface HtmlReader extends QueuedRequest {
  readonly database: Database;
  readonly config: Config;
  readonly log: Log;
  readonly images: ImageStore;
  readonly services: { readonly renderer: Renderer };
}

/**
 * Renders and stores the HTML of an article without current HTML. Of concurrent readers of a network, one renders it; the others find
 * the stored HTML when they get the permit. Must not be called while a transaction of the request is open.
 * @param by as whom the article is read
 * @param content to render, if it may have changed since it was read; the HTML is stored only if it has not
 * @returns HTML as it is sent; null if the article does not exist for the reader, and no content is given
 * @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED
 */
export async function renderForReader(
  reader: HtmlReader,
  articleId: number,
  by: Reader,
  content: string | null = null,
): Promise<string | null> {
  const { config, images, services } = reader;
  const task = clientTask(reader);
  // What authors have written does not use the time for the reader's own texts.
  const payer = { key: `reads of ${task.key}`, network: `reads of ${task.network}` };
  const found = await services.renderer.queue.run(task, () => renderStored(reader, { articleId, by, content, payer }));
  return found && toServedHtml(found, images, config);
}

/**
 * Renders content that is not stored, as an article with it would be rendered.
 * @param mentions of the article whose content it is
 * @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED
 */
export async function renderPreview(
  reader: HtmlReader & { readonly limits: Limits },
  content: string,
  mentions: StoredHtml['mentions'] = null,
): Promise<string> {
  const { config, database, images, limits, services } = reader;
  const { renderer } = services;
  const task = clientTask(reader);
  const { html } = await limits.previews.run(task.key, () =>
    renderer.queue.run(task, () => render(renderer, content, config.publicUrl, task)),
  );
  const keys = imageKeysIn(html);
  const [found] = keys.length > 0 ? await database.query(IMAGES_BY_KEY, [keys]) : [];
  return toServedHtml({ html, images: found?.images ?? null, mentions }, images, config);
}

async function renderStored(
  { database, config, log, services }: HtmlReader,
  { articleId, by, content, payer }: { articleId: number; by: Reader; content: string | null; payer: Payer },
): Promise<StoredHtml | null> {
  const found = await findRendering(database, articleId, { version: RENDERER_VERSION, content, reader: by });
  if (found && found.html !== null) return { ...found, html: found.html };
  const source = found?.content ?? content;
  if (source === null) return null;
  const rendered = await render(services.renderer, source, config.publicUrl, payer);
  await replaceRendering(database, articleId, source, rendered).catch((error) =>
    log.warn({ code: sqlState(error) }, 'storing the rendered HTML failed'),
  );
  return { html: rendered.html, images: found?.images ?? null, mentions: found?.mentions ?? null };
}

/**
 * Renders and stores what is missing or of an older renderer version. The permit is released before the result is stored, which updates the
 * search index.
 * @returns the visible text; null if the article does not exist
 * @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED
 */
export async function completeRendering(
  { database, config, renderer }: Pick<HtmlReader, 'database' | 'config'> & HtmlReader['services'],
  articleId: number,
  task: TaskOptions,
): Promise<string | null> {
  const found = await findRendering(database, articleId, { version: RENDERER_VERSION, content: null, reader: null });
  if (!found) return null;
  const { content, html, text } = found;
  if (content === null) return text;
  const rendered = await renderer.queue.run(task, () => render(renderer, content, config.publicUrl, task, html));
  // The result is the escaped text if the process stops meanwhile.
  task.signal?.().throwIfAborted();
  await replaceRendering(database, articleId, content, rendered);
  return rendered.text;
}

async function render(
  renderer: Renderer,
  content: string,
  publicUrl: string | undefined,
  payer: Payer,
  current: string | null = null,
): Promise<Rendered> {
  const { html, text, mentioned } = await renderer.render(content, current, payer);
  const stored = publicUrl === undefined ? html : toRelativeImageUrls(html, publicUrl);
  return { version: RENDERER_VERSION, html: stored, text, mentioned };
}
