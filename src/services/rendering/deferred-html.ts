/**
 * HTML that is missing while a transaction is open. It is not waited for there: the response gets a marker in place of it, and the HTML
 * when the transaction has ended.
 */
import { randomBytes } from 'node:crypto';

/** @param content as the transaction reads it; undefined: the current one. @returns the HTML as it is sent */
export type RenderDeferred = (articleId: number, content: string | undefined, isListed?: boolean) => Promise<string>;

export class DeferredHtml {
  readonly #marker: string;
  readonly #articles = new Map<number, { content: string; isListed: boolean }>();

  /** @param marker a text that no client can know, since contents could contain it */
  constructor(marker = randomBytes(18).toString('base64url')) {
    this.#marker = marker;
  }

  /** @returns the marker for the response */
  add(articleId: number, content: string, isListed: boolean): string {
    this.#articles.set(articleId, { content, isListed });
    return `${this.#marker}:${articleId}`;
  }

  /** Whether a value of the response is a marker. */
  has(value: string): boolean {
    return value.startsWith(`${this.#marker}:`);
  }

  /** The articles whose HTML is missing. */
  get articleIds(): number[] {
    return [...this.#articles.keys()];
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
        texts.set(id, JSON.stringify(await render(Number(id), this.#articles.get(Number(id))?.content)));
      }),
    );
    return json.replace(pattern, (_marker, id: string) => texts.get(id) ?? '""');
  }

  /** Replaces the markers in the objects and arrays of a result. */
  async completeIn(result: unknown, render: RenderDeferred): Promise<void> {
    if (this.#articles.size === 0) return;
    const rendered = new Map<string, string>();
    await Promise.all(
      [...this.#articles].map(async ([id, { content, isListed }]) => {
        rendered.set(`${this.#marker}:${id}`, await render(id, content, isListed));
      }),
    );
    const pending = [result];
    while (pending.length > 0) {
      const holder = pending.pop();
      if (typeof holder !== 'object' || holder === null) continue;
      for (const [key, value] of Object.entries(holder)) {
        if (typeof value !== 'string') pending.push(value);
        else if (this.has(value)) (holder as Record<string, unknown>)[key] = rendered.get(value);
      }
    }
  }
}
