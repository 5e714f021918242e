/** URL of the page of an article, from the setting `ARTICLE_URL`. */
import type { Config } from '../config/index.js';

export function articleUrl({ site }: Config, id: number): string {
  return site.articleUrl.replaceAll('{id}', String(id));
}
