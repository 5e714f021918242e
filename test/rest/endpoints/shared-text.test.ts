/** Share links: creating, reading and ending them, and the texts that they lead to, over both APIs. */
import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { buildImage, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import {
  buildShare,
  buildText,
  codeOfShared,
  KINDS,
  READ,
  sharePath,
  storedShares,
} from '../../support/shared-texts.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const DAY_MS = 86_400_000;
const TOKEN = /^[\w-]{43}$/;
const LONG_URL = `https://example.org/${'preview/'.repeat(200)}`;

const app = useApp();
const withPage = useApp({ SHARE_URL: LONG_URL });

const daysUntil = (time: string) => Math.round((Date.parse(`${time.replace(/Z$/, '')}Z`) - Date.now()) / DAY_MS);

for (const kind of KINDS) {
  describe(`The share link of ${kind === 'draft' ? 'a draft' : 'a private article'}`, () => {
    const author = useMember(app);
    const name = kind === 'draft' ? 'Draft' : 'Article';
    const build = (text = {}) => buildText(app, kind, author, text);
    const read = (token: string) => call(app.url, `GET /api/shared/${token}`);
    const expiryOf = async (path: string) => (await call(app.url, `GET ${path}`, author)).body?.data;

    it('shows the text to everyone over REST, until its author ends it', async () => {
      const text = await build({ title: 'Owls', content: 'One is in the **attic**.', tags: ['owl', 'attic'] });
      const path = sharePath(text);
      expect(await expiryOf(path)).to.deep.equal({ expiresAt: null });
      const { token, url, expiresAt } = await buildShare(app, text);
      expect(token).to.match(TOKEN);
      expect(url).to.equal(`${app.url}/api/shared/${token}`);
      expect(daysUntil(expiresAt)).to.equal(7);
      expect(await expiryOf(path)).to.deep.equal({ expiresAt });
      const { body } = await expectStatus(read(token), 200, '1');
      expect(body?.data).to.deep.include({
        title: 'Owls',
        content: 'One is in the **attic**.',
        contentHtml: '<p>One is in the <strong>attic</strong>.</p>\n',
        author: author.nickname,
        tags: ['owl', 'attic'],
        articleImg: null,
        articleImgAlt: null,
        articleImgWidth: null,
        articleImgHeight: null,
        articleImgSizes: [],
        expiresAt,
      });
      const { body: ended } = await expectStatus(call(app.url, `DELETE ${path}`, author), 200, '1');
      expect(ended?.data).to.deep.equal({});
      expect(await codeOfShared(app, token)).to.equal('SHARE_NOT_FOUND');
      expect(await expiryOf(path)).to.deep.equal({ expiresAt: null });
      await expectStatus(call(app.url, `DELETE ${path}`, author), 200, '1');
    });

    it('is created, read and ended over GraphQL', async () => {
      const { id } = await build();
      const fields = { id: String(id), expiresIn: 3_600 };
      const create = `mutation ($id: ID!, $expiresIn: Int) {
        share${name}(id: $id, expiresIn: $expiresIn) { url token expiresAt }
      }`;
      const created = (await graphql(app.url, create, fields, author.token)).data[`share${name}`];
      expect(created.url).to.equal(`${app.url}/api/shared/${created.token}`);
      const find = `query ($id: ID!) { ${kind}Share(id: $id) { expiresAt } }`;
      const found = async () => (await graphql(app.url, find, fields, author.token)).data[`${kind}Share`];
      expect(await found()).to.deep.equal({ expiresAt: created.expiresAt });
      const { data } = await graphql(app.url, READ, { token: created.token });
      expect(data.sharedText).to.deep.include({ title: 'Owls', authorName: author.nickname });
      const end = `mutation ($id: ID!) { unshare${name}(id: $id) { expiresAt } }`;
      const ended = await graphql(app.url, end, fields, author.token);
      expect(ended.data[`unshare${name}`]).to.deep.equal({ expiresAt: null });
      expect(await found()).to.deep.equal({ expiresAt: null });
      expect(await codeOfShared(app, created.token)).to.equal('SHARE_NOT_FOUND');
    });

    it('replaces an earlier one, also one that is created at the same time', async () => {
      const text = await build();
      const { token: first } = await buildShare(app, text);
      const shares = await Promise.all([buildShare(app, text), buildShare(app, text)]);
      const codes = await Promise.all(shares.map(({ token }) => codeOfShared(app, token)));
      expect(codes.sort()).to.deep.equal(['1', 'SHARE_NOT_FOUND']);
      expect(await codeOfShared(app, first)).to.equal('SHARE_NOT_FOUND');
    });

    it('is stored as a hash of the token', async () => {
      const { token } = await buildShare(app, await build());
      const stored = await storedShares(app);
      const hash = createHash('sha256').update(token).digest('hex');
      expect(stored.map((row) => row.hash)).to.include(hash);
      for (const row of stored) expect(row.text).to.not.include(token);
    });

    it('shows the current text', async () => {
      const { id, ...text } = await build();
      const { token } = await buildShare(app, { id, ...text });
      const table = kind === 'draft' ? 'drafts' : 'all_articles';
      await app.database.sequelize.query(
        `update ${table} set title = 'Two owls', updated_at = '2026-01-02T03:04:05Z' where id = ${id}`,
      );
      expect((await read(token)).body?.data).to.include({ title: 'Two owls', updatedAt: '2026-01-02T03:04:05' });
    });

    it('expires after one hour to thirty days', async () => {
      const text = await build();
      for (const [expiresIn, days] of [
        [3_600, 0],
        [30 * 86_400, 30],
      ] as const) {
        expect(daysUntil((await buildShare(app, text, { expiresIn })).expiresAt)).to.equal(days);
      }
      for (const expiresIn of [3_599, 30 * 86_400 + 1]) {
        const wrong = await call(app.url, `POST ${sharePath(text)}`, { ...author, json: { expiresIn } });
        expectFieldErrors(wrong, `expiresIn: must be a whole number from 3600 to 2592000, got ${expiresIn}`);
      }
      const { token } = await buildShare(app, text);
      await app.database.sequelize.query(`update share_links set expires_at = now() where ${kind}_id = ${text.id}`);
      expect(await codeOfShared(app, token)).to.equal('SHARE_NOT_FOUND');
      expect(await expiryOf(sharePath(text))).to.deep.equal({ expiresAt: null });
    });

    it('exists for the author only, and for API tokens with the scope articles', async () => {
      const text = await build();
      const stranger = await buildMember(app.url);
      const targets = ['GET', 'POST', 'DELETE'].map((method) => `${method} ${sharePath(text)}`);
      const missing = kind === 'draft' ? 'DRAFT_NOT_FOUND' : 'ARTICLE_NOT_FOUND';
      const reading = await buildApiToken(app.url, author, ['read', 'comments', 'images', 'notifications', 'ai']);
      const writing = await buildApiToken(app.url, author, ['articles']);
      for (const target of targets) {
        await expectStatus(call(app.url, target), 401, 'UNAUTHENTICATED', target);
        await expectStatus(call(app.url, target, stranger), 404, missing, target);
        await expectStatus(call(app.url, target.replace(/\d+/, '999999'), author), 404, missing, target);
        await expectStatus(call(app.url, target, reading), 403, 'SCOPE_MISSING', target);
        expect((await call(app.url, target, writing)).status, target).to.be.oneOf([200, 201]);
      }
    });

    it('ignores an Idempotency-Key, since a response with a token must not be stored', async () => {
      const text = await build();
      const headers = { 'Idempotency-Key': randomUUID() };
      const post = () => call(app.url, `POST ${sharePath(text)}`, { ...author, headers });
      const tokens = [(await post()).body?.data.token, (await post()).body?.data.token];
      expect(new Set(tokens).size).to.equal(2);
      const mutation = `mutation { share${name}(id: ${text.id}) { token } }`;
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', Authorization: `Bearer ${author.token}` },
        body: JSON.stringify({ query: mutation }),
      });
      expect(response.headers.get('Idempotency-Replayed')).to.equal(null);
      expect(await rowsOf(app.database, 'select * from idempotency_keys')).to.deep.equal([]);
    });

    it('takes one statement to read, two if the text has to be rendered, and two if it is unknown', async () => {
      const { token } = await buildShare(app, await build());
      const count = async (text: string) => (await statementsDuring(() => read(text))).length;
      expect(await count(token)).to.equal(kind === 'draft' ? 2 : 1);
      expect(await count('unknown')).to.equal(2);
    });
  });
}

describe('The share link of an article with another author than before', () => {
  it('can be ended and replaced by the author', async () => {
    const [earlier, author] = [await buildMember(app.url), await buildMember(app.url)];
    const texts = [await buildText(app, 'article', earlier), await buildText(app, 'article', earlier)];
    const tokens = [];
    for (const { id, kind } of texts) {
      tokens.push((await buildShare(app, { id, kind, author: earlier })).token);
      // As `daybook member claim` does.
      await app.database.sequelize.query(`update all_articles set member_id = ${author.id},
        category_id = (select id from categories where member_id = ${author.id} limit 1) where id = ${id}`);
    }
    const [one, other] = texts.map((text) => ({ ...text, author }));
    if (!one || !other) throw new Error('expected two texts');
    await expectStatus(call(app.url, `DELETE ${sharePath(one)}`, author), 200, '1');
    const { token } = await buildShare(app, other);
    expect(await Promise.all(tokens.map((each) => codeOfShared(app, each)))).to.deep.equal(
      Array(2).fill('SHARE_NOT_FOUND'),
    );
    const { body } = await call(app.url, `GET /api/shared/${token}`);
    expect(body?.data.author).to.equal(author.nickname);
  });
});

describe('The share link of a public article of another member', () => {
  it('is 403', async () => {
    const [author, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const { id } = await buildText(app, 'article', author);
    await setPrivate(app.url, { id, author }, false);
    for (const method of ['GET', 'POST', 'DELETE']) {
      await expectStatus(
        call(app.url, `${method} /api/articles/${id}/share`, stranger),
        403,
        'ARTICLE_FORBIDDEN',
        method,
      );
    }
  });
});

describe('A share link with SHARE_URL', () => {
  it('leads to that page with the token as the fragment, in a response that is not compressed', async () => {
    const text = await buildText(withPage, 'draft', await buildMember(withPage.url));
    const headers = { 'Accept-Encoding': 'gzip', Authorization: `Bearer ${text.author.token}` };
    const rest = await fetch(withPage.url + sharePath(text), { method: 'POST', headers });
    const { data } = (await rest.json()) as { data: { url: string; token: string } };
    expect(data.url).to.equal(`${LONG_URL}#token=${data.token}`);
    const body = JSON.stringify({ query: `mutation { shareDraft(id: ${text.id}) { url } }` });
    const json = { ...headers, 'Content-Type': 'application/json' };
    const other = await fetch(`${withPage.url}/graphql`, { method: 'POST', headers: json, body });
    expect((await other.text()).length).to.be.above(1_024);
    for (const response of [rest, other]) {
      expect([response.ok, response.headers.get('Content-Encoding')]).to.deep.equal([true, null]);
    }
  });
});

describe('A shared text', () => {
  const author = useMember(app);

  it('is neither stored by caches, nor indexed, nor sent as a referrer', async () => {
    const { token } = await buildShare(app, await buildText(app, 'draft', author));
    for (const [path, status] of [
      [token, 200],
      ['unknown', 404],
    ] as const) {
      const { status: got, headers } = await call(app.url, `GET /api/shared/${path}`);
      expect(got).to.equal(status);
      expect(headers.get('Cache-Control')).to.equal('no-store');
      expect(headers.get('X-Robots-Tag')).to.equal('noindex');
      expect(headers.get('Referrer-Policy')).to.equal('no-referrer');
      expect([headers.get('ETag'), headers.get('Last-Modified')]).to.deep.equal([null, null]);
    }
    const { headers } = await graphql(app.url, READ, { token });
    expect([headers.get('Cache-Control'), headers.get('ETag')]).to.deep.equal(['no-store', null]);
  });

  it('cannot be read over GraphQL with the token in the URL', async () => {
    const { token } = await buildShare(app, await buildText(app, 'draft', author));
    await graphql(app.url, READ, { token });
    const sha256Hash = createHash('sha256').update(READ).digest('hex');
    const variables = JSON.stringify({ token });
    const persisted = { extensions: JSON.stringify({ persistedQuery: { version: 1, sha256Hash } }), variables };
    const literal = { query: `{ sharedText(token: "${token}") { title } }`, variables: '{}' };
    for (const parameters of [{ query: READ, variables }, persisted, literal]) {
      const response = await fetch(`${app.url}/graphql?${new URLSearchParams(parameters)}`);
      expect([response.status, response.headers.get('Allow')]).to.deep.equal([405, 'POST']);
      expect(await response.text())
        .to.include('METHOD_NOT_ALLOWED')
        .and.not.include('Owls');
    }
  });

  it('has its image: that of the draft, of the article that it edits, or none if it is removed', async () => {
    const image = await buildImage(app.url, author, 400, 10);
    const { id: articleId } = await buildText(app, 'article', author);
    await app.database.sequelize.query(
      `update all_articles set image = '${'a'.repeat(32)}', image_width = 700, image_height = 300, image_alt = 'Owls' where id = ${articleId}`,
    );
    const text = await buildText(app, 'draft', author, { content: `![An owl](${image.url})` });
    const { token } = await buildShare(app, text);
    const set = (values: string) => app.database.sequelize.query(`update drafts set ${values} where id = ${text.id}`);
    const shown = async () => (await call(app.url, `GET /api/shared/${token}`)).body?.data;
    expect((await shown()).contentHtml).to.include('srcset=');
    const imageOf = async () => {
      const { articleImg, articleImgSizes } = await shown();
      return [articleImg, articleImgSizes.map(({ width }: { width: number }) => width)];
    };
    expect(await imageOf()).to.deep.equal([null, []]);
    await set(`article_id = ${articleId}`);
    expect(await imageOf()).to.deep.equal([`${app.url}/images/${'a'.repeat(32)}.webp`, [320, 640]]);
    const described = { articleImgAlt: 'Owls', articleImgWidth: 700, articleImgHeight: 300 };
    expect(await shown()).to.include(described);
    await set("image_alt = ''");
    expect(await shown()).to.include({ ...described, articleImgAlt: null });
    await set('removes_image = true');
    expect(await imageOf()).to.deep.equal([null, []]);
    expect(await shown()).to.include({ articleImgAlt: null, articleImgWidth: null, articleImgHeight: null });
    await set(`image_id = ${image.id}, image_alt = 'A bat'`);
    expect(await shown()).to.include({ articleImgAlt: 'A bat', articleImgWidth: 400, articleImgHeight: 10 });
    expect(await imageOf()).to.deep.equal([image.url, [320]]);
  });
});
