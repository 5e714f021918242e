/** Requests for one page of the comments of an article, over REST and GraphQL. */
import type autocannon from 'autocannon';

export interface PageWanted {
  articleId: number;
  /** From 1. */
  page: number;
  /** Access token: instead of a page, a request that creates a comment. */
  token?: string;
}

export const PAGE_SIZE = 10;

/** Path, method and body of a request. */
export type PageRequest = Pick<autocannon.Request, 'method' | 'headers' | 'body'> & { path: string };

/** The selection of the REST document, so that both APIs return the same data. */
const QUERY = `query($id: ID!, $page: Int, $size: Int) {
  comments(articleId: $id, page: $page, size: $size) {
    contents {
      id content author: authorName memberId createdAt updatedAt
      replies { id content author: authorName memberId createdAt updatedAt }
    }
    pagination { currentPage pageSize totalElements totalPages last first }
  }
}`;

const JSON_BODY = { 'content-type': 'application/json' };

export function restRequest({ articleId, page, token }: PageWanted): PageRequest {
  const path = `/api/articles/${articleId}/comments`;
  if (token === undefined) return { method: 'GET', path: `${path}?page=${page}&size=${PAGE_SIZE}` };
  const body = JSON.stringify({ content: 'Thank you, I will try that tomorrow.' });
  return { method: 'POST', path, headers: { ...JSON_BODY, authorization: `Bearer ${token}` }, body };
}

export function graphqlRequest({ articleId, page }: PageWanted): PageRequest {
  return graphqlPost(QUERY, { id: String(articleId), page, size: PAGE_SIZE });
}

export function graphqlPost(query: string, variables: object): PageRequest {
  return { method: 'POST', path: '/graphql', headers: JSON_BODY, body: JSON.stringify({ query, variables }) };
}

/** @throws Error if the status of the response is not 200 */
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
