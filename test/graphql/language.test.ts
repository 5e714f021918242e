/** The language of GraphQL responses, and of notifications in both APIs. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { call } from '../support/client.js';

const app = useApp();

async function sendGraphQL(query: string, language: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/graphql?query={__typename}&variables=x`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Accept-Language': language, ...headers },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response.
    data: any;
    errors?: { message: string; path?: unknown; extensions: { code: string; errors?: unknown } }[];
  };
  return { status: response.status, headers: response.headers, data, errors };
}

describe('GraphQL responses in Korean', () => {
  it('translate messages of resolver errors, and keep their path and code', async () => {
    const { headers, data, errors } = await sendGraphQL('{ articles { pagination { first } } me { id } }', 'ko');
    expect(data).to.deep.equal({ articles: { pagination: { first: true } }, me: null });
    expect(errors?.map(({ message, path, extensions }) => [message, path, extensions.code])).to.deep.equal([
      [
        '유효한 액세스 토큰이 필요합니다. "Authorization: Bearer <액세스 토큰>" 헤더를 보내십시오.',
        ['me'],
        'UNAUTHENTICATED',
      ],
    ]);
    expect(headers.get('Content-Language')).to.equal('ko');
  });

  it('name every invalid argument', async () => {
    const { errors } = await sendGraphQL('{ articles(page: 0, size: 101) { pagination { first } } }', 'ko');
    expect(errors?.[0]?.extensions).to.deep.equal({
      code: 'VALIDATION_FAILED',
      errors: [
        { field: 'page', message: '1 이상 2147483647 이하의 정수여야 합니다. 받은 값: 0' },
        { field: 'size', message: '1 이상 100 이하의 정수여야 합니다. 받은 값: 101' },
      ],
    });
  });

  it('prefix the English messages of the GraphQL library with a Korean text', async () => {
    for (const query of ['{', '{ nothing }', 'query ($id: ID!) { article(id: $id) { id } }']) {
      const english = await sendGraphQL(query, 'en');
      const korean = await sendGraphQL(query, 'ko');
      expect(english.errors?.[0]?.message).to.match(/^[A-Z]/);
      expect(korean.errors?.[0]?.message).to.equal(`GraphQL 요청이 올바르지 않습니다: ${english.errors?.[0]?.message}`);
      expect([korean.status, korean.headers.get('Content-Language')]).to.deep.equal([english.status, 'ko']);
    }
  });

  it('translate rejections before execution: depth limit, token and content type', async () => {
    const deep = `{ me ${'{ articles { edges { node { author '.repeat(4)}{ id }${'} } } }'.repeat(4)} }`;
    expect((await sendGraphQL(deep, 'ko')).errors?.[0]?.message).to.equal('쿼리가 12단계보다 깊습니다.');
    expect((await sendGraphQL('{ me { id } }', 'ko', { Authorization: 'Bearer x' })).errors?.[0]?.message).to.equal(
      '액세스 토큰이 유효하지 않습니다. 다시 로그인하십시오.',
    );
    const type = await sendGraphQL('{ me { id } }', 'ko', { 'Content-Type': 'text/plain' });
    expect(type.errors?.[0]?.message).to.match(/^Content-Type은 application\/json이어야/);
    expect(type.headers.get('Content-Language')).to.equal('ko');
  });

  it('have Content-Language: en if Apollo itself responds in English', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Accept-Language': 'ko', 'Content-Type': 'application/json' },
      body: '{"query":5}',
    });
    expect([response.status, response.headers.get('Content-Language')]).to.deep.equal([400, 'en']);
  });
});

describe('A notification', () => {
  it('is returned in the language of its reader', async () => {
    const { id, author } = await buildArticle(app.url, { title: '첫눈' });
    const member = await buildMember(app.url);
    await buildComment(app.url, id, {}, member);
    const read = async (language: string) => {
      const { body } = await call(app.url, 'GET /api/notifications', {
        token: author.token,
        headers: { 'Accept-Language': language },
      });
      return body?.data.contents[0].message;
    };
    expect(await read('en')).to.equal(`${member.nickname} commented on your article “첫눈”.`);
    expect(await read('ko')).to.equal(`${member.nickname} 님이 회원님의 글 “첫눈”에 댓글을 남겼습니다.`);
    const { data } = await sendGraphQL('{ notifications { contents { message } } }', 'ko', {
      Authorization: `Bearer ${author.token}`,
    });
    expect(data.notifications.contents[0].message).to.match(/댓글을 남겼습니다\.$/);
  });
});
