/**
 * HTML that is missing while a transaction is open. It is not waited for there: the response gets a marker in place of it, and the HTML
 * when the transaction has ended.
 */
import { randomBytes } from 'node:crypto';

/** @param content as the transaction reads it; undefined: the current one. @returns the HTML as it is sent */
export type RenderDeferred = (articleId: number, content: string | undefined) => Promise<string>;

export class DeferredHtml {
  readonly #marker: string;
  readonly #contents = new Map<number, string>();

  /** @param marker a text that no client can know, since contents could contain it */
  constructor(marker = randomBytes(18).toString('base64url')) {
    this.#marker = marker;
  }

  /** @returns the marker for the response */
  add(articleId: number, content: string): string {
    this.#contents.set(articleId, content);
    return `${this.#marker}:${articleId}`;
  }

  /** The id of the article that a value of the response is the marker of; null if it is none. */
  articleIn(value: string): number | null {
    return value.startsWith(`${this.#marker}:`) ? Number(value.slice(this.#marker.length + 1)) : null;
  }

  isIn(json: string): boolean {
    return json.includes(this.#marker);
  }

  /** Replaces the markers in JSON. */
  async complete(json: string, render: RenderDeferred): Promise<string> {
    if (!this.isIn(json)) return json;
    const pattern = new RegExp(`"${this.#marker}:(\\d+)"`, 'g');
    const texts = new Map<string, string>();
    // In parallel: the queue of the renderer limits them.
    const ids = new Set([...json.matchAll(pattern)].map(([, id = '']) => id));
    await Promise.all(
      [...ids].map(async (id) => {
        texts.set(id, JSON.stringify(await render(Number(id), this.#contents.get(Number(id)))));
      }),
    );
    return json.replace(pattern, (_marker, id: string) => texts.get(id) ?? '""');
  }
}
