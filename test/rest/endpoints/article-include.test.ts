/** Lists of articles with their contents, and previews of articles. */
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildImage, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { occupyRenderer } from '../../support/renderer.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
let author: BuiltMember;
/** Newest first. */
const ids: number[] = [];
before(async () => {
  author = await buildMember(app.url);
  for (const content of ['One *owl*.', 'Two **owls**.', '# Three']) {
    ids.unshift((await buildArticle(app.url, { content }, author)).id);
  }
});

type Shown = Record<string, unknown>;

describe('GET /api/articles?include', () => {
  const list = (query: string, headers = {}) =>
    call(app.url, `GET /api/articles?memberId=${author.id}${query}`, { headers });
  const contentsOf = async (query: string): Promise<Shown[]> =>
    (await expectStatus(list(query), 200, '1')).body?.data.contents;
  const dropHtml = (id: number) => app.database.sequelize.query(`delete from article_html where article_id = ${id}`);

  it('adds the content, the HTML, or both, to public lists and to those of the author', async () => {
    const plain = await contentsOf('');
    expect(Object.keys(plain[0] ?? {}))
      .not.to.include.members(['content'])
      .and.not.to.include.members(['contentHtml']);
    const content = ['# Three', 'Two **owls**.', 'One *owl*.'];
    const contentHtml = [
      '<h1 id="text-three">Three</h1>\n',
      '<p>Two <strong>owls</strong>.</p>\n',
      '<p>One <em>owl</em>.</p>\n',
    ];
    const withContent = plain.map((article, index) => ({ ...article, content: content[index] }));
    const withHtml = plain.map((article, index) => ({ ...article, contentHtml: contentHtml[index] }));
    const withBoth = withContent.map((article, index) => ({ ...article, ...withHtml[index] }));
    expect(await contentsOf('&include=content')).to.deep.equal(withContent);
    expect(await contentsOf('&include=contentHtml')).to.deep.equal(withHtml);
    for (const both of ['content,contentHtml', 'contentHtml,content']) {
      expect(await contentsOf(`&include=${both}`)).to.deep.equal(withBoth);
      const own = await call(app.url, `GET /api/articles/me?include=${both}`, { token: author.token });
      expect(own.body?.data.contents).to.deep.equal(withBoth.map((article) => ({ ...article, removedAt: null })));
    }
    const [hit] = await contentsOf('&include=content&keyword=three');
    expect(hit).to.include({ id: ids[0], content: '# Three' }).and.have.property('snippet');
  });

  it('reads contents with the list, and HTML with one more statement; a list without them reads neither', async () => {
    const statements = async (query: string) => statementsDuring(() => list(query));
    await buildArticle(app.url);
    const [plain = ''] = await statements('&size=7');
    expect(plain).not.to.match(/, a\.content,/);
    // Without the stamp, which validates nothing yet.
    expect(await statements('&size=7&include=content')).to.have.lengthOf(1);
    // In a snapshot: the beginning, the list, the HTML, and the end.
    expect(await statements('&size=7&include=contentHtml')).to.have.lengthOf(4);
    expect(await statements('&size=6&include=content,contentHtml')).to.have.lengthOf(4);
    const query = 'query ($with: Boolean!) { articles(size: 2) { contents { id content @include(if: $with) } } }';
    for (const withContent of [false, true, false]) {
      const sent = await statementsDuring(() => graphql(app.url, query, { with: withContent }));
      expect(sent, String(withContent)).to.have.lengthOf(1);
      expect(/, a\.content,/.test(sent[0] ?? ''), String(withContent)).to.equal(withContent);
    }
  });

  it('does not wait for HTML that is not rendered, and does not keep such a response', async () => {
    const [newest = 0] = ids;
    await dropHtml(newest);
    const first = await list('&include=contentHtml&size=1');
    expect([first.status, first.body?.data.contents[0].contentHtml]).to.deep.equal([200, null]);
    expect(first.headers.get('ETag')).to.equal(null);
    const query = 'query ($id: ID!) { article(id: $id) { renderedHtml } }';
    expect((await graphql(app.url, query, { id: newest })).data.article.renderedHtml).to.equal(null);
    await call(app.url, `GET /api/articles/${newest}/rendered`);
    const second = await list('&include=contentHtml&size=1');
    expect(second.body?.data.contents[0].contentHtml).to.equal('<h1 id="text-three">Three</h1>\n');
    expect(second.headers.get('ETag')).to.be.a('string');
    expect((await graphql(app.url, query, { id: newest })).data.article.renderedHtml).to.equal(
      '<h1 id="text-three">Three</h1>\n',
    );
  });

  it('has a tag for each form, which changes with the articles', async () => {
    const tags = new Map<string, string>();
    for (const query of ['', '&include=content', '&include=contentHtml']) {
      tags.set(query, (await list(query)).headers.get('ETag') ?? '');
      expect((await list(query, { 'If-None-Match': tags.get(query) })).status, query).to.equal(304);
    }
    expect(new Set(tags.values()).size).to.equal(3);
    const json = { title: 'Changed', content: 'One owl more.' };
    await call(app.url, `PUT /api/articles/${ids[2]}`, { token: author.token, json });
    const { body } = await list('&include=content', { 'If-None-Match': tags.get('&include=content') });
    expect(body?.data.contents[2].content).to.equal(json.content);
  });

  it('rejects unknown and repeated values, and pages of more than 50 articles', async () => {
    const forms = 'content, contentHtml, viewer, each once, separated by commas';
    for (const value of ['', 'html', 'content,', 'content,content', 'Content']) {
      expectFieldErrors(await list(`&include=${value}`), `include: must be one or more of ${forms}, got "${value}"`);
    }
    expect(fieldErrors(await list(`&include=${'x'.repeat(5_000)}`))[0]).to.have.length.below(300);
    expectFieldErrors(await list('&include=content&include=content'), 'include: must be given once, got 2 times');
    expectFieldErrors(await list('&include=content&size=51'), 'size: must be a whole number from 1 to 50, got 51');
    expectFieldErrors(await list('&include=content&size=x'), 'size: must be a whole number, got "x"');
    expect((await contentsOf('&include=content&size=50')).length).to.equal(3);
    expect((await contentsOf('&size=51')).length).to.equal(3);
    expectFieldErrors(
      await call(app.url, `GET /api/articles/${ids[0]}?include=content`),
      'include: must be one or more of contentHtml, comments, neighbors, related, series, viewer, each once, separated by commas, got "content"',
    );
  });
});

describe('POST /api/articles/preview', () => {
  const preview = (json: unknown, token?: string) =>
    call(app.url, 'POST /api/articles/preview', { json, ...(token !== undefined && { token }) });
  const QUERY = 'query ($content: String!) { previewArticle(content: $content) { contentHtml } }';

  it('returns the HTML that the article will have, with the sizes of its images, and stores nothing', async () => {
    const image = await buildImage(app.url, author, 700);
    const content = `# Fog\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![a lighthouse](${image.url})`;
    const counted = 'select (select count(*) from articles) as articles, (select count(*) from article_html) as html';
    const [before] = await app.database.sequelize.query(counted);
    const { body } = await expectStatus(preview({ content }, author.token), 200, '1');
    expect(Object.keys(body?.data)).to.deep.equal(['contentHtml']);
    expect(body?.data.contentHtml).to.include('srcset=').and.not.include('alert');
    expect(body?.data.contentHtml).to.not.include('<script').and.not.include('javascript');
    expect((await app.database.sequelize.query(counted))[0]).to.deep.equal(before);
    const { data } = await graphql(app.url, QUERY, { content }, author.token);
    expect(data.previewArticle).to.deep.equal(body?.data);
    const { id } = await buildArticle(app.url, { content }, author);
    const rendered = await call(app.url, `GET /api/articles/${id}/rendered`);
    expect(rendered.body?.data.contentHtml).to.equal(body?.data.contentHtml);
  });

  it('needs the session only, and the images where there are some; it does not count as a change', async () => {
    const statements = await statementsDuring(() => preview({ content: 'Plain.' }, author.token));
    expect(statements).to.have.lengthOf(1);
  });

  it('ignores Idempotency-Key: every request is rendered', async () => {
    const send = (content: string) =>
      call(app.url, 'POST /api/articles/preview', {
        token: author.token,
        json: { content },
        headers: { 'Idempotency-Key': 'the same' },
      });
    expect((await send('One.')).body?.data.contentHtml).to.equal('<p>One.</p>\n');
    const second = await send('Two.');
    expect(second.body?.data.contentHtml).to.equal('<p>Two.</p>\n');
    expect(second.headers.get('Idempotency-Replayed')).to.equal(null);
  });

  it('has the limits of the content, and needs a token with the scope articles', async () => {
    await expectStatus(preview({ content: 'x' }), 401, 'UNAUTHENTICATED');
    expectFieldErrors(await preview({}, author.token), 'content: is required');
    expect(fieldErrors(await preview({ content: ' \n' }, author.token))[0]).to.match(/^content: /);
    expect(fieldErrors(await preview({ content: 'x'.repeat(100_001) }, author.token))[0]).to.match(/^content: /);
    const reading = await buildApiToken(app.url, author, ['read']);
    await expectStatus(preview({ content: 'x' }, reading.token), 403, 'SCOPE_MISSING');
    const writing = await buildApiToken(app.url, author, ['articles']);
    await expectStatus(preview({ content: 'x' }, writing.token), 200, '1');
  });

  it('renders at most three previews of a member at once', async () => {
    const { queue } = app.services.renderer;
    const release = occupyRenderer(app);
    const waiting = [1, 2, 3].map((number) => preview({ content: `${number}` }, author.token));
    const aliases = [1, 2, 3, 4].map((number) => `p${number}: previewArticle(content: "${number}") { contentHtml }`);
    const other = await buildMember(app.url);
    const query = graphql(app.url, `{ ${aliases.join(' ')} }`, {}, other.token);
    for (let found = 0; found < 6; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      found = queue.state.waiting;
    }
    const fourth = await expectStatus(preview({ content: '4' }, author.token), 429, 'RATE_LIMITED');
    expect(fourth.body?.message).to.equal('You have 3 previews in progress: wait until one of them has finished.');
    await release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const { data, errors } = await query;
    expect([data.p4, errors?.[0]?.extensions.code]).to.deep.equal([null, 'RATE_LIMITED']);
    expect(data.p1.contentHtml).to.equal('<p>1</p>\n');
  });
});
