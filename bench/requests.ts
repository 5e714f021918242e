/** Requests for one page of the comments of an article, over REST and GraphQL. */
import type autocannon from 'autocannon';

export type Surface = 'rest' | 'graphql';

export interface PageWanted {
  articleId: number;
  /** From 1. */
  page: number;
}

export const PAGE_SIZE = 10;

/** Path, method and body of a request. */
export type PageRequest = Pick<autocannon.Request, 'method' | 'headers' | 'body'> & { path: string };

/** The selection of the REST document, so that both APIs return the same data. */
const QUERY = `query($id: ID!, $page: Int, $size: Int) {
  comments(articleId: $id, page: $page, size: $size) {
    contents {
      id content authorName memberId createdAt updatedAt
      replies { id content authorName memberId createdAt updatedAt }
    }
    pagination { currentPage pageSize totalElements totalPages last first }
  }
}`;

export function pageRequest(surface: Surface, { articleId, page }: PageWanted): PageRequest {
  if (surface === 'rest')
    return { method: 'GET', path: `/api/articles/${articleId}/comments?page=${page}&size=${PAGE_SIZE}` };
  const body = JSON.stringify({ query: QUERY, variables: { id: String(articleId), page, size: PAGE_SIZE } });
  return { method: 'POST', path: '/graphql', headers: { 'content-type': 'application/json' }, body };
}

/** @throws Error where the answer is not a 200 */
export function fetchPage(url: string, surface: Surface, wanted: PageWanted): Promise<string> {
  return fetchText(url, pageRequest(surface, wanted));
}

/** @throws Error where the answer is not a 200 */
export async function fetchText(url: string, { method, path, headers, body }: PageRequest): Promise<string> {
  const answer = await fetch(url + path, {
    method: method ?? 'GET',
    ...(headers && { headers: headers as Record<string, string> }),
    ...(body !== undefined && { body: String(body) }),
  });
  const text = await answer.text();
  if (answer.status !== 200)
    throw new Error(`${method} ${url}${path} answered ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}
