/** Views of articles by readers, who differ by their addresses and user agents. The application needs `TRUST_PROXY: '1'`. */
import type { TestApp } from './app.js';
import { call } from './client.js';

export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export interface Reader {
  address?: string;
  agent?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** @returns the status */
export async function view(
  url: string,
  articleId: number | string,
  { address = '192.0.2.1', agent = BROWSER, token, headers = {} }: Reader = {},
): Promise<number> {
  const { status } = await call(url, `POST /api/articles/${articleId}/views`, {
    ...(token !== undefined && { token }),
    headers: { 'User-Agent': agent, 'X-Forwarded-For': address, ...headers },
  });
  return status;
}

/** Writes the views that wait, as at a full minute. @returns the number of views of the article */
export async function viewsOf(
  { url, services }: Pick<TestApp, 'url' | 'services'>,
  articleId: number,
): Promise<number> {
  await services.views.write();
  return (await call(url, `GET /api/articles/${articleId}`)).body?.data.viewCount;
}
