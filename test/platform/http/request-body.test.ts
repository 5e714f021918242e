/** Malformed and unusual JSON bodies, sent to several endpoints: all of them share one body parser. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, fieldErrors, type RestResponse } from '../../support/client.js';
import { sendRaw } from '../../support/raw.js';

const app = useApp();

interface Target {
  target: string;
  json: Record<string, unknown>;
  token?: string;
}

let targets: Target[];
let member: BuiltMember;
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Requests without a token have a smaller body limit (16 KiB) and may not use Content-Encoding. */
const TOO_LARGE: [number, string] = [413, 'PAYLOAD_TOO_LARGE'];
const UNSUPPORTED: [number, string] = [415, 'UNSUPPORTED_MEDIA_TYPE'];

function send({ target, token }: Target, body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) {
  return call(app.url, target, { body, headers, ...(token !== undefined && { token }) });
}

type Rejection = [status: number, key: string];

/**
 * Asserts that every endpoint rejects the body with this error, in the envelope, and changes no data.
 * @param withoutToken the error of endpoints that take no token, if it differs
 */
async function expectRejected(
  body: string | Uint8Array,
  withToken: Rejection,
  headers: Record<string, string> = JSON_TYPE,
  withoutToken: Rejection = withToken,
): Promise<RestResponse[]> {
  const before = await everything();
  const responses = await Promise.all(targets.map((target) => send(target, body, headers)));
  responses.forEach((response, index) => {
    const what = `${targets[index]?.target} ${String(body).slice(0, 40)} ${JSON.stringify(response.body).slice(0, 300)}`;
    const rejection = targets[index]?.token === undefined ? withoutToken : withToken;
    expect([response.status, response.body?.code], what).to.deep.equal(rejection);
    expect(response.headers.get('Content-Type'), what).to.match(/^application\/json\b/);
    expect(response.body?.message.length, what).to.be.within(10, 300);
  });
  expect(await everything()).to.deep.equal(before);
  return responses;
}

/** Row counts of the tables, and the last change of a member. */
async function everything(): Promise<unknown> {
  const [rows] =
    await app.database.sequelize.query(`select (select count(*) from articles) as articles, (select count(*) from comments) as comments,
            (select count(*) from members) as members, (select count(*) from sessions) as sessions,
            (select max(updated_at) from members) as changed`);
  return rows;
}

describe('A JSON body', () => {
  before(async () => {
    member = await buildMember(app.url);
    const { id } = await buildArticle(app.url);
    const { token } = member;
    targets = [
      {
        target: 'POST /api/auth/register',
        json: { email: 'body@example.org', password: 'long enough', memberName: 'Body' },
      },
      { target: 'POST /api/auth/login', json: { email: member.email, password: member.password } },
      { target: 'POST /api/articles', json: { title: 't', content: 'c' }, token },
      { target: `POST /api/articles/${id}/comments`, json: { content: 'c' }, token },
      { target: 'PATCH /api/members/me', json: { bio: 'b' }, token },
    ];
  });

  it('is rejected as BAD_REQUEST when it is not JSON', async () => {
    for (const text of [
      '{',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      'undefined',
      '{"a":NaN}',
      '{"a":01}',
      '{} {}',
      '\ufeff{',
      '{"a":"\n"}',
      '<a/>',
      '%',
    ]) {
      await expectRejected(text, [400, 'BAD_REQUEST']);
    }
  });

  it('is rejected as BAD_REQUEST when it is empty', async () => {
    for (const text of ['', ' ', '\n']) await expectRejected(text, [400, 'BAD_REQUEST']);
  });

  it('is rejected as BAD_REQUEST with the type in the message when it is not an object', async () => {
    for (const [text, came] of [
      ['null', 'null'],
      ['5', '5'],
      ['"text"', '"text"'],
      ['true', 'true'],
      ['[]', 'an array'],
      ['[{"content":"c"}]', 'an array'],
    ] as const) {
      const responses = await expectRejected(text, [400, 'BAD_REQUEST']);
      for (const { body } of responses) expect(body?.message).to.equal(`The body must be a JSON object, got ${came}.`);
    }
  });

  it('is rejected when it is nested 100,000 levels deep, at the top or in a field', async () => {
    const [open, close] = ['['.repeat(100_000), ']'.repeat(100_000)];
    await expectRejected(open + close, [400, 'BAD_REQUEST'], JSON_TYPE, TOO_LARGE);
    await expectRejected(open, [400, 'BAD_REQUEST'], JSON_TYPE, TOO_LARGE);
    await expectRejected('{"a":'.repeat(100_000), [400, 'BAD_REQUEST'], JSON_TYPE, TOO_LARGE);
    await expectRejected('{"a":'.repeat(3_000), [400, 'BAD_REQUEST']);
    for (const field of ['email', 'content', 'title', 'tags', 'bio', 'unknown']) {
      for (const value of [open + close, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`]) {
        await expectRejected(`{"${field}":${value}}`, [400, 'VALIDATION_FAILED'], JSON_TYPE, TOO_LARGE);
      }
      await expectRejected(`{"${field}":${'['.repeat(8_000)}${']'.repeat(8_000)}}`, [400, 'VALIDATION_FAILED']);
    }
  });

  it('is rejected as PAYLOAD_TOO_LARGE over 1 MiB, also when it is compressed', async () => {
    const large = JSON.stringify({ content: 'x'.repeat(3_000_000) });
    await expectRejected(large, [413, 'PAYLOAD_TOO_LARGE']);
    await expectRejected(large.slice(0, 1024 * 1024 + 1), [413, 'PAYLOAD_TOO_LARGE']);
    await expectRejected(`${' '.repeat(1024 * 1024)}{}`, [413, 'PAYLOAD_TOO_LARGE']);
    const packed = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
    await expectRejected(gzipSync(large), [413, 'PAYLOAD_TOO_LARGE'], packed, UNSUPPORTED);
  });

  it('is rejected as PAYLOAD_TOO_LARGE over 16 KiB without a token', async () => {
    const text = JSON.stringify({ unknown: 'x'.repeat(16 * 1024) });
    await expectRejected(text, [400, 'VALIDATION_FAILED'], JSON_TYPE, TOO_LARGE);
    const announced = await sendRaw(
      app.url,
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16385\r\n\r\n{',
    );
    expect(announced).to.match(/^HTTP\/1\.1 413 /);
  });

  it('is rejected as BAD_REQUEST when it is not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"content":"'), Buffer.from(bytes), Buffer.from('"}')]);
      await expectRejected(body, [400, 'BAD_REQUEST']);
    }
    await expectRejected(Buffer.from('{"content":"c"}', 'utf16le'), [400, 'BAD_REQUEST']);
  });

  it('is rejected as UNSUPPORTED_MEDIA_TYPE in a charset other than UTF-8', async () => {
    for (const charset of ['utf-16', 'UTF-16LE', 'iso-8859-1', '"utf-32"', 'nonsense']) {
      const type = { 'Content-Type': `application/json; charset=${charset}` };
      await expectRejected(Buffer.from('{"content":"c"}', 'utf16le'), [415, 'UNSUPPORTED_MEDIA_TYPE'], type);
    }
  });

  it('is rejected as UNSUPPORTED_MEDIA_TYPE with another media type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/json',
      'application/graphql',
      'application/ld+json',
    ]) {
      await expectRejected('{"content":"c"}', [415, 'UNSUPPORTED_MEDIA_TYPE'], { 'Content-Type': type });
    }
    await expectRejected(Buffer.from('{"content":"c"}'), [415, 'UNSUPPORTED_MEDIA_TYPE'], {});
  });

  it('is rejected as UNSUPPORTED_MEDIA_TYPE in an unknown encoding, and as BAD_REQUEST when corrupt', async () => {
    for (const encoding of ['zstd', 'compress', 'x', 'gzip, gzip']) {
      await expectRejected('{}', [415, 'UNSUPPORTED_MEDIA_TYPE'], { ...JSON_TYPE, 'Content-Encoding': encoding });
    }
    const packed = gzipSync('{"content":"c"}');
    for (const body of [Buffer.from('{}'), packed.subarray(0, 20), Buffer.concat([packed.subarray(0, 12), packed])]) {
      await expectRejected(body, [400, 'BAD_REQUEST'], { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, UNSUPPORTED);
    }
    await expectRejected('{}', [400, 'BAD_REQUEST'], { ...JSON_TYPE, 'Content-Encoding': 'br' }, UNSUPPORTED);
  });

  it('is rejected as VALIDATION_FAILED for invalid numbers, with the value in the message', async () => {
    const [, , , comments] = targets;
    if (!comments) return;
    const { id } = await buildComment(app.url, Number(/\d+/.exec(comments.target)));
    expect(fieldErrors(await send(comments, '{"content":"c","parentCommentId":1e400}'))).to.deep.equal([
      'parentCommentId: must be a positive whole number, got Infinity',
    ]);
    expectFieldErrors(await send(comments, '{"content":1e400}'), 'content: must be a string, got Infinity');
    for (const number of ['1.5', '-1', '-0.5', '1e-400', '"1"', '[1]', 'true']) {
      const response = await send(comments, `{"content":"c","parentCommentId":${number}}`);
      expect(response.status, number).to.equal(number === '1e-400' ? 201 : 400);
    }
    for (const number of ['1e400', '-1e400']) {
      await expectRejected(`{"email":${number},"title":${number},"content":${number},"bio":${number}}`, [
        400,
        'VALIDATION_FAILED',
      ]);
    }
    expect((await send(comments, `{"content":"c","parentCommentId":9${'0'.repeat(300)}}`)).body?.code).to.equal(
      'COMMENT_NOT_FOUND',
    );
    expect((await send(comments, `{"content":"c","parentCommentId":${id}.0}`)).status).to.equal(201);
  });

  it('is rejected for keys such as __proto__, without prototype pollution', async () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
      const responses = await expectRejected(`{"${key}":{"isAdmin":true}}`, [400, 'VALIDATION_FAILED']);
      for (const response of responses)
        expect(fieldErrors(response)[0]).to.match(new RegExp(`^${key}: is not a known field`));
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).to.equal(undefined);
  });

  it('is rejected for unknown fields with a message of limited length', async () => {
    const invalid: [number, string] = [400, 'VALIDATION_FAILED'];
    const long = JSON.stringify({ [`x${'y'.repeat(500_000)}`]: 1 });
    const responses = await expectRejected(long, invalid, JSON_TYPE, TOO_LARGE);
    for (const { body } of responses) expect(JSON.stringify(body).length).to.be.below(2000);
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`unknown${number}`, 1]));
    for (const { body } of await expectRejected(JSON.stringify(many), invalid, JSON_TYPE, TOO_LARGE)) {
      expect(JSON.stringify(body).length).to.be.below(20_000);
    }
  });

  it('has the last value of a duplicate key', async () => {
    const [, , , , profile] = targets;
    if (!profile) return;
    expect((await send(profile, '{"bio":5,"bio":"the last"}')).status).to.equal(204);
    const me = await call(app.url, 'GET /api/members/me', { token: member.token });
    expect(me.body?.data.bio).to.equal('the last');
  });

  it('is accepted compressed, with a charset, a byte order mark or surrounding white space', async () => {
    const [, , , comments] = targets;
    if (!comments) return;
    const text = '{"content":"한글 😀"}';
    const forms: [string | Uint8Array, Record<string, string>][] = [
      [gzipSync(text), { 'Content-Encoding': 'gzip' }],
      [deflateSync(text), { 'Content-Encoding': 'deflate' }],
      [brotliCompressSync(text), { 'Content-Encoding': 'br' }],
      [text, { 'Content-Encoding': 'identity' }],
      [text, { 'Content-Type': 'application/json; charset=utf-8' }],
      [text, { 'Content-Type': 'application/json;charset="UTF-8"' }],
      [text, { 'Content-Type': 'APPLICATION/JSON' }],
      [`\ufeff${text}`, {}],
      [` \r\n\t${text}\n `, {}],
    ];
    for (const [body, headers] of forms) {
      const response = await send(comments, body, { ...JSON_TYPE, ...headers });
      expect([response.status, response.body?.data?.content], JSON.stringify(headers)).to.deep.equal([201, '한글 😀']);
    }
  });

  it('is ignored by an endpoint that takes no body', async () => {
    const { id, author } = await buildArticle(app.url);
    const comment = await buildComment(app.url, id, {}, author);
    const response = await call(app.url, `DELETE /api/comments/${comment.id}`, {
      token: author.token,
      body: '{"broken',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(response.status).to.equal(200);
  });
});
