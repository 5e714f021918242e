/** The language of responses: English or Korean, by Accept-Language. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call, expectFieldErrors, fieldErrors, type RequestOptions } from '../../support/client.js';
import { sendRaw } from '../../support/raw.js';

const app = useApp({ CORS_ORIGINS: 'https://app.example.org' });

const send = (target: string, language: string, { headers, ...options }: RequestOptions = {}) =>
  call(app.url, target, { ...options, headers: { ...headers, 'Accept-Language': language } });

/** Header values and the resulting language. */
const LANGUAGES: Record<string, 'en' | 'ko'> = {
  ko: 'ko',
  'ko-KR': 'ko',
  KO: 'ko',
  en: 'en',
  'en-GB': 'en',
  '*': 'en',
  fr: 'en',
  'ko, en': 'ko',
  'en, ko': 'en',
  'fr, ko;q=0.1': 'ko',
  'en;q=0.5, ko': 'ko',
  'ko;q=0.5, en;q=0.9': 'en',
  'ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7': 'ko',
  'en-US,en;q=0.9,ko;q=0.8': 'en',
  'ko;q=0': 'en',
  'ko;q=0, *': 'en',
  'en;q=0, *': 'ko',
};

describe('Accept-Language', () => {
  for (const [header, language] of Object.entries(LANGUAGES))
    it(`"${header}" selects ${language}`, async () => {
      const { status, headers } = await send('GET /api/articles', header);
      expect([status, headers.get('Content-Language')]).to.deep.equal([200, language]);
    });

  it('selects English if it is missing, malformed or very long', async () => {
    for (const header of [';;;', ',,,', 'ko;q=abc', '=', 'ko_KR', '<script>', 'x, '.repeat(3000), 'k'.repeat(9000)]) {
      const { status, headers } = await send('GET /api/articles', header);
      expect([status, headers.get('Content-Language')], header.slice(0, 20)).to.deep.equal([200, 'en']);
    }
    const response = await sendRaw(app.url, 'GET /api/articles HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(response).to.match(/\r\nContent-Language: en\r\n/i);
  });
});

describe('REST responses in Korean', () => {
  const member = useMember(app);

  it('translate the message of a success, but not the data', async () => {
    const { id } = await buildArticle(app.url, { title: 'Snow' }, member);
    const { body } = await send(`POST /api/articles/${id}/comments`, 'ko', {
      token: member.token,
      json: { content: 'x' },
    });
    expect(body?.message).to.equal('댓글을 작성했습니다.');
    expect((await send(`GET /api/articles/${id}`, 'ko')).body?.data.title).to.equal('Snow');
  });

  it('name every invalid field as in the request', async () => {
    const json = { email: 'x@y', password: 'short', extra: 1 };
    const response = await send('POST /api/auth/register', 'ko', { json });
    expect(response.body?.message).to.equal('올바르지 않은 항목이 있습니다.');
    expect(fieldErrors(response)).to.have.members([
      'extra: 여기에 없는 필드입니다. 사용할 수 있는 필드: email, password, memberName, nickname, invitation',
      'memberName: 필수 항목입니다.',
      'email: name@example.org와 같은 이메일 주소여야 합니다.',
      'password: 길이는 8자 이상 128자 이하여야 합니다. 받은 길이: 5자',
    ]);
    const tags = await send('POST /api/articles', 'ko', {
      token: member.token,
      json: { title: 't', content: 'c', tags: ['x'.repeat(31)] },
    });
    expectFieldErrors(tags, 'tags: 각 요소에 대한 규칙: 길이는 1자 이상 30자 이하여야 합니다. 받은 길이: 31자');
  });

  it('translate the messages of 400, 401, 404, 405 and 415', async () => {
    const json = { 'Content-Type': 'application/json' };
    const expected: [string, RequestOptions, string][] = [
      [
        'POST /api/auth/login',
        { body: '{', headers: json },
        '본문이 JSON이 아닙니다. 오류 위치: 1번째 줄, 2번째 글자. 객체가 필요합니다.',
      ],
      [
        'GET /api/members/me',
        {},
        '유효한 액세스 토큰이 필요합니다. "Authorization: Bearer <액세스 토큰>" 헤더를 보내십시오.',
      ],
      ['GET /api/members/me', { token: 'bad' }, '액세스 토큰이 유효하지 않습니다. 다시 로그인하십시오.'],
      ['GET /api/articles/999999', {}, '글을 찾을 수 없습니다.'],
      ['GET /api/nothing', {}, '이 주소에는 아무것도 없습니다: /api/nothing'],
      ['GET /nothing', {}, '이 주소에는 아무것도 없습니다: /nothing'],
      ['PUT /api/auth/login', {}, '여기에서 사용할 수 있는 메서드: POST. 받은 메서드: PUT.'],
      ['POST /healthz', {}, '여기에서 사용할 수 있는 메서드: GET, HEAD. 받은 메서드: POST.'],
    ];
    for (const [target, options, message] of expected) {
      const { body, headers } = await send(target, 'ko', options);
      expect([body?.message, headers.get('Content-Language')], target).to.deep.equal([message, 'ko']);
    }
    const text = await send('POST /api/auth/login', 'ko', { body: 'x', headers: { 'Content-Type': 'text/plain' } });
    expect(text.body?.message).to.equal(
      'Content-Type은 다음 중 하나여야 합니다: application/json. 받은 값: "text/plain".',
    );
  });

  it('have no Content-Language if there is no message', async () => {
    const response = await send('PATCH /api/members/me', 'ko', { token: member.token, json: { bio: 'x' } });
    expect([response.status, response.headers.get('Content-Language')]).to.deep.equal([204, null]);
  });
});

describe('Caches', () => {
  it('receive Vary with Accept-Language and Origin', async () => {
    const Origin = 'https://app.example.org';
    for (const target of [
      'GET /api/articles',
      'GET /api/articles/999999',
      'GET /nothing',
      'GET /graphql?query={me{id}}',
    ])
      for (const headers of [{}, { Origin }, { Origin, 'Accept-Language': 'ko' }] as Record<string, string>[]) {
        const [method = '', path = ''] = target.split(' ');
        const response = await fetch(app.url + path, { method, headers });
        const vary = (response.headers.get('Vary') ?? '').split(/,\s*/);
        expect(vary, target).to.include.members(['Origin', 'Accept-Language']);
        expect(new Set(vary).size, target).to.equal(vary.length);
      }
  });
});
