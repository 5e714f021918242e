/** Error texts that say what was wrong and what to do. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { useMember } from '../../support/build.js';
import { call } from '../../support/client.js';

const app = useApp();

describe('The text of an error', () => {
  const member = useMember(app);
  const messageOf = async (target: string, options: Parameters<typeof call>[2] = {}) =>
    (await call(app.url, target, options)).body?.message;
  const send = (body: string) =>
    messageOf('POST /api/auth/login', { body, headers: { 'Content-Type': 'application/json' } });

  it('has the position of a syntax error in JSON', async () => {
    expect(await send('{"email": "a@b.c",\n "password": x}')).to.equal(
      'The body is not JSON: error in line 2, column 14. Expected an object.',
    );
    expect(await send('{"email":')).to.include('line 1, column 10');
    expect(await send('{"email" "a"}')).to.include('line 1, column 10.');
    expect(await send('{} x')).to.include('line 1, column 4.');
    expect(await send(`[${'1,'.repeat(6_000)}]`)).to.equal('The body is not JSON: expected an object.');
  });

  it('names a missing Content-Type, and sizes with their unit', async () => {
    const { token } = member;
    expect(await messageOf('POST /api/categories', { token, body: new Uint8Array([1]) })).to.equal(
      'The header Content-Type is missing: expected application/json.',
    );
    const json = { categoryName: 'x'.repeat(1_100_000) };
    expect(await messageOf('POST /api/categories', { token, json })).to.equal('The body can have at most 1 MiB.');
  });

  it('distinguishes a refresh token from an invalid access token', async () => {
    expect(await messageOf('GET /api/members/me', { token: member.refreshToken })).to.equal(
      'This is a refresh token: send the access token, or exchange this one for new tokens.',
    );
    for (const token of ['x', 'e30.e30.e30', 'bnVsbA.x.y', 'eyJ0eXAiOiJKV1QifQ.x.y'])
      expect(await messageOf('GET /api/members/me', { token })).to.equal(
        'The access token is not valid: log in again.',
      );
  });

  it('names the prefix of the REST API where it is missing', async () => {
    const textOf = async (path: string) =>
      ((await (await fetch(app.url + path)).json()) as { message: string }).message;
    expect(await textOf('/articles/7')).to.equal(
      'No resource exists at /articles/7: paths of the REST API begin with /api.',
    );
    expect(await textOf('/owls')).to.equal('No resource exists at /owls.');
  });

  it('names the nearest path of an unknown one, and none for a long path or one whose existence depends on settings', async () => {
    const messageAt = async (path: string, language = 'en') => {
      const response = await fetch(app.url + path, { headers: { 'Accept-Language': language } });
      return ((await response.json()) as { message: string }).message;
    };
    const nearest: Record<string, string> = {
      '/api/artikles': '/api/articles',
      '/api/articles/': '/api/articles',
      '/API/Articles': '/api/articles',
      '/api/v1/articles': '/api/articles',
      '/api/articles/7/coments': '/api/articles/{articleId}/comments',
      '/graphl': '/graphql',
      '/api/article%73s': '/api/articles',
    };
    for (const [path, near] of Object.entries(nearest))
      expect(await messageAt(path)).to.equal(`No resource exists at ${path}. The nearest path is ${near}.`);
    expect(await messageAt('/api/artikles', 'ko')).to.equal(
      '이 주소에는 아무것도 없습니다: /api/artikles 가장 비슷한 주소: /api/articles',
    );
    for (const path of [
      '/metric',
      '/imags/x',
      `/api/articles/${'x'.repeat(100)}/coments`,
      `/api/${'a/'.repeat(4_000)}`,
    ])
      expect(await messageAt(path)).to.match(/^No resource exists at \S+\.$/);
  });
});
