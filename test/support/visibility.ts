/** Changes the visibility of articles, as their authors do. */
import type { BuiltArticle } from './build.js';
import { call, expectStatus } from './client.js';

export async function setPrivate(url: string, { id, author }: BuiltArticle, isPrivate = true): Promise<void> {
  const json = { visibility: isPrivate ? 'PRIVATE' : 'PUBLIC' };
  await expectStatus(call(url, `PUT /api/articles/${id}/visibility`, { token: author.token, json }), 200, '1');
}
