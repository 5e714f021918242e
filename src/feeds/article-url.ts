/** Where people read an article. */
import type { Config } from '../config.js';

export function articleUrl({ site }: Config, id: number): string {
  return site.articleUrl.replaceAll('{id}', String(id));
}
