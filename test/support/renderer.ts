/** The renderer while it is busy. */
import type { TestApp } from './app.js';

/** Occupies all permits of the renderer, with a task of one network each. @returns releases them */
export function occupyRenderer({ services }: Pick<TestApp, 'services'>): () => Promise<void> {
  let free = () => {};
  const freed = new Promise<void>((resolve) => (free = resolve));
  const { queue } = services.renderer;
  const held = Promise.all(['first', 'second'].map((key) => queue.run({ key }, () => freed)));
  return async () => {
    free();
    await held;
  };
}
