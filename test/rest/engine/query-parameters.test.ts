/** Unknown query parameters are rejected, except by the endpoints of the published interface (docs/clients.md). */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildComment, useArticle, useMember } from '../../support/build.js';
import { call, expectFieldErrors, fieldErrors } from '../../support/client.js';

const app = useApp();

describe('A query parameter that the endpoint does not have', () => {
  const article = useArticle(app);
  const member = useMember(app);

  it('is 400, with the names of the known ones, together with the other errors', async () => {
    const response = await call(app.url, 'GET /api/articles?category=3&Page=2&size=0');
    expect([response.status, response.body?.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
    const known = 'keyword, tag, language, categoryId, from, to, memberId, sort, period, page, size, include';
    expectFieldErrors(
      response,
      `category: is not a known query parameter; expected ${known}`,
      `Page: is not a known query parameter; expected ${known}`,
      'size: must be a whole number from 1 to 100, got 0',
    );
  });

  it('is 400 on endpoints without parameters, and on writes', async () => {
    const { token } = member;
    const requests = [
      [`GET /api/articles/${article.id}/neighbors?full=true`, {}],
      ['GET /api/members/me?fields=id', { token }],
      ['POST /api/categories?dry=1', { token, json: { categoryName: 'Sea' } }],
      ['GET /api/notifications/stream?access_token=x', { token }],
    ] as const;
    for (const [target, options] of requests) {
      const response = await call(app.url, target, options);
      expect(fieldErrors(response)[0], target).to.match(/^\w+: is not a known query parameter; expected none$/);
    }
  });

  it('is reported for at most 20 names of at most 60 characters', async () => {
    const query = Array.from({ length: 100 }, (_, index) => `${'x'.repeat(80)}${index}=1`).join('&');
    const lines = fieldErrors(await call(app.url, `GET /api/tags?${query}`));
    expect(lines).to.have.lengthOf(20);
    expect(lines[0]).to.match(/^x{60}…: /);
  });

  it('is ignored on the endpoints of the published interface', async () => {
    const { token } = article.author;
    const { id } = await buildComment(app.url, article.id, {}, article.author);
    const { email, password } = article.author;
    const statuses = [
      await call(app.url, `GET /api/articles/${article.id}/comments?page=1&_=7`),
      await call(app.url, 'POST /api/auth/login?next=home', { json: { email, password } }),
      await call(app.url, 'PATCH /api/members/me?x=1', { token, json: { bio: 'Owls.' } }),
      await call(app.url, `DELETE /api/comments/${id}?x=1`, { token }),
    ].map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 200, 204, 200]);
  });
});
