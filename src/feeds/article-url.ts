/** Where people read an article. */
import type { Config } from '../config/index.js';

export function articleUrl({ site }: Config, id: number): string {
  return site.articleUrl.replaceAll('{id}', String(id));
}
