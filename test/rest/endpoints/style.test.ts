/** Text transformation into a built-in or custom style, over both APIs. */
import { expect } from 'chai';
import { pauseResponse, respond, startAiProvider } from '../../support/ai-provider.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, fieldErrors, graphql } from '../../support/client.js';
import { HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';
import { buildStyle, TRANSFORM, TRANSFORM_CLIENTS } from '../../support/styles.js';
import { until } from '../../support/until.js';

const provider = await startAiProvider();
after(() => provider.close());

const app = useApp(provider.environment);
let member: BuiltMember;
const makeMember = async () => {
  member = await buildMember(app.url);
};

for (const [way, send] of Object.entries(TRANSFORM_CLIENTS)) {
  describe(`Transforming a text with ${way}`, () => {
    before(makeMember);

    it('returns the text in each built-in style, with the name of the style', async () => {
      provider.setResponses(respond.withText('안녕! 오늘은 맑아요.'));
      for (const writingStyle of ['FRIENDLY', 'PROFESSIONAL', 'SHORT_FORM']) {
        const { status, code, text, style } = await send(app.url, member, { content: 'It is sunny.', writingStyle });
        expect([status, code, text, style]).to.deep.equal([200, '1', '안녕! 오늘은 맑아요.', writingStyle]);
      }
      const systems = provider.requests.map(({ body }) => body.messages[0].content.replace(/[0-9a-f]{16}/g, ''));
      expect(new Set(systems).size, 'each style has its own system prompt').to.equal(3);
    });

    it("returns the text in the member's custom style, with its name", async () => {
      provider.setResponses(respond.withText('Ahoy.'));
      const { id, name } = await buildStyle(app.url, member);
      const { text, style } = await send(app.url, member, { content: 'Hello.', customStyleId: id, writingStyle: null });
      expect([text, style]).to.deep.equal(['Ahoy.', name]);
    });

    it('returns the provider text as plain text, without control characters', async () => {
      provider.setResponses(respond.withText('  <b>\u0000\u001b[31mred\u0007</b>\r\nsecond\tline\ud800 \n\n'));
      const { text } = await send(app.url, member, { content: 'x', writingStyle: 'FRIENDLY' });
      expect(text).to.equal('<b>[31mred</b>\nsecond\tline\ufffd');
    });

    it('returns VALIDATION_FAILED for no style and for two', async () => {
      provider.setResponses(respond.withText('never'));
      for (const styles of [{}, { writingStyle: 'FRIENDLY', customStyleId: 1 }, { writingStyle: null }]) {
        const { status, code } = await send(app.url, member, { content: 'x', ...styles });
        expect(code, JSON.stringify(styles)).to.equal('VALIDATION_FAILED');
        if (way !== 'GraphQL') expect(status).to.equal(400);
      }
      expect(provider.requests).to.deep.equal([]);
    });

    it("returns STYLE_NOT_FOUND for another member's style and for unknown ids of any size", async () => {
      provider.setResponses(respond.withText('never'));
      const { id } = await buildStyle(app.url, await buildMember(app.url));
      for (const customStyleId of [id, 999_999, 2_147_483_648]) {
        const { code } = await send(app.url, member, { content: 'x', customStyleId });
        expect(code, String(customStyleId)).to.equal('STYLE_NOT_FOUND');
      }
      expect(provider.requests).to.deep.equal([]);
    });

    it('returns UNAUTHENTICATED without a valid token', async () => {
      const forged = { ...member, token: 'nonsense' };
      expect((await send(app.url, forged, { content: 'x', writingStyle: 'FRIENDLY' })).code).to.equal(
        'UNAUTHENTICATED',
      );
    });
  });
}

describe('POST /api/articles/transform-style', () => {
  before(makeMember);

  const transform = (json: unknown, token: string | undefined = member.token) =>
    call(app.url, TRANSFORM, token === '' ? { json } : { token, json });

  it('returns 200 for 100,000 characters, and limits max_tokens to 16,000', async () => {
    provider.setResponses(respond.withText('short'));
    expect((await transform({ content: '가'.repeat(100_000), writingStyle: 'SHORT_FORM' })).status).to.equal(200);
    expect((await transform({ content: '가'.repeat(10), writingStyle: 'SHORT_FORM' })).status).to.equal(200);
    expect(provider.requests.map(({ body }) => body.max_tokens)).to.deep.equal([16_000, 4_030]);
  });

  it('returns 400 with every invalid field, and for no style or both', async () => {
    const one = 'exactly one of writingStyle and customStyleId must be given';
    expect(fieldErrors(await transform({ content: 'x' }))).to.deep.equal([
      `writingStyle: ${one}, got none`,
      `customStyleId: ${one}, got none`,
    ]);
    expect(fieldErrors(await transform({ content: 'x', writingStyle: 'FRIENDLY', customStyleId: 1 }))).to.deep.equal([
      `writingStyle: ${one}, got both`,
      `customStyleId: ${one}, got both`,
    ]);
    expect(fieldErrors(await transform({ content: ' ', writingStyle: 'friendly', customStyleId: 0 }))).to.deep.equal([
      'writingStyle: must be one of FRIENDLY or PROFESSIONAL or SHORT_FORM, got "friendly"',
      'content: must not be blank',
      'customStyleId: must be a positive whole number, got "0"',
    ]);
    expect(fieldErrors(await transform({ content: 'x'.repeat(100_001), writingStyle: 'FRIENDLY' }))).to.deep.equal([
      'content: must be 1 to 100000 characters long, got 100001',
    ]);
  });

  it('returns 401 without a token before validating the body', async () => {
    expect((await transform({}, '')).body?.code).to.equal('UNAUTHENTICATED');
  });

  it('returns 404 for ids beyond the range of the column', async () => {
    for (const id of HUGE_IDS.map(Number)) {
      expect((await transform({ content: 'x', customStyleId: id })).body?.code).to.equal('STYLE_NOT_FOUND');
    }
  });
});

describe('GraphQL transformStyle', () => {
  before(makeMember);

  it('distinguishes a built-in style from a custom one', async () => {
    provider.setResponses(respond.withText('x'));
    const { id, name } = await buildStyle(app.url, member);
    const query = `mutation ($input: TransformStyleInput!) {
      transformStyle(input: $input) { writingStyle styleName customStyle { id name } }
    }`;
    const run = async (style: object) =>
      (await graphql(app.url, query, { input: { content: 'x', ...style } }, member.token)).data.transformStyle;
    expect(await run({ writingStyle: 'FRIENDLY' })).to.deep.equal({
      writingStyle: 'FRIENDLY',
      styleName: 'FRIENDLY',
      customStyle: null,
    });
    expect(await run({ customStyleId: id })).to.deep.equal({
      writingStyle: null,
      styleName: name,
      customStyle: { id: String(id), name },
    });
  });
});

describe('Slow provider calls', () => {
  before(makeMember);

  it('do not delay other requests, since they hold no database connection', async () => {
    const members = await Promise.all(Array.from({ length: 5 }, () => buildMember(app.url)));
    const { id } = await buildArticle(app.url);
    const slow = pauseResponse(respond.withText('at last'));
    provider.setResponses(slow.behavior);
    const json = { content: 'x', writingStyle: 'FRIENDLY' };
    // More calls than there are database connections.
    const calls = members.flatMap(({ token }) => [1, 2, 3].map(() => call(app.url, TRANSFORM, { token, json })));
    await until(() => provider.requests.length === calls.length);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => call(app.url, `GET /api/articles/${id}`, { token: member.token })),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    slow.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal(Array(15).fill(200));
  });

  it('execute four statements: for the token, the write limit, the style and the budget', async () => {
    provider.setResponses(respond.withText('x'));
    const { id } = await buildStyle(app.url, member);
    const texts = await statementsDuring(() =>
      call(app.url, TRANSFORM, { token: member.token, json: { content: 'x', customStyleId: id } }),
    );
    expect(texts, texts.join('\n')).to.have.length(4);
  });
});
