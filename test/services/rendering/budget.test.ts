/** The rendering time of members and networks, and contents that met a limit. */
import { expect } from 'chai';
import { AppError } from '../../../src/platform/errors.js';
import { networkOf } from '../../../src/platform/http/client-address.js';
import { RenderingBudget } from '../../../src/services/rendering/budget.js';
import { Renderer } from '../../../src/services/rendering/renderer.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, type GraphQLResponse } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { runJobs, waitingJobs } from '../../support/jobs.js';

const NETWORK = '198.51.100.1';

describe('The rendering time', () => {
  let now: number;
  let budget: RenderingBudget;
  beforeEach(() => {
    now = 0;
    budget = new RenderingBudget(() => now);
  });

  const retryAfter = (key: string, network: string): number | null => {
    try {
      budget.require({ key, network });
      return null;
    } catch (error) {
      expect(error).to.be.instanceOf(AppError);
      expect((error as AppError).key).to.equal('RATE_LIMITED');
      return (error as AppError).retryAfter ?? 0;
    }
  };

  it('of a member is regained at a tenth of the time, on all networks together', () => {
    for (const network of ['home', 'phone']) budget.spend({ key: 'm1', network }, 1_600);
    expect([retryAfter('m1', 'home'), retryAfter('m1', 'office'), retryAfter('m2', 'home')]).to.deep.equal([
      10,
      10,
      null,
    ]);
    now = 10_000;
    expect(retryAfter('m1', 'home')).to.equal(null);
  });

  for (const accounts of [5, 20]) {
    it(`of a network is regained at a fifth of the time, with ${accounts} accounts and anonymous clients`, () => {
      for (let member = 0; member < accounts; member++) {
        budget.spend({ key: `m${member}`, network: NETWORK }, 100 + 4_000 / accounts);
      }
      expect(retryAfter('m100', NETWORK)).to.equal(10);
      expect(retryAfter(NETWORK, NETWORK)).to.equal(10);
      expect(retryAfter('m100', '203.0.113.1')).to.equal(null);
      now = 10_000;
      expect(retryAfter('m100', NETWORK)).to.equal(null);
    });
  }

  it('is not used by texts of up to 100 ms', () => {
    for (let count = 0; count < 10_000; count++) budget.spend({ key: 'm1', network: NETWORK }, 100);
    expect(retryAfter('m1', NETWORK)).to.equal(null);
  });

  it('is free without a network', () => {
    budget.spend({ key: 'import' }, 60_000);
    expect(() => budget.require({ key: 'import' })).not.to.throw();
  });
});

describe('A content that met the time limit', () => {
  it('is not rendered again', async () => {
    let spent = 0;
    const budget = new RenderingBudget();
    budget.spend = () => void spent++;
    const renderer = new Renderer(budget);
    const content = '***a_'.repeat(19_000);
    const payer = { key: 'm1', network: NETWORK };
    const first = await renderer.render(content, null, payer);
    expect(first.html).to.match(/^<pre>/);
    expect(await renderer.render(content, null, payer)).to.deep.equal(first);
    expect(spent).to.equal(1);
    await renderer.render(`${content}.`.slice(-100), null, payer);
    expect(spent).to.equal(2);
    await renderer.stop();
  });
});

describe('While the rendering time of a network is used up', () => {
  const app = useApp({ TRUST_PROXY: '1' });
  /** Addresses of one network each: an IPv6 network is a /64. */
  const networks = [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ] as const;
  let other: BuiltMember;
  before(async () => {
    other = await buildMember(app.url);
    for (const [address] of networks) {
      const payer = { key: 'm0', network: networkOf(address) };
      app.services.renderer.budget.spend(payer, 60_000);
      app.services.renderer.budget.spend({ key: 'reads of x', network: `reads of ${payer.network}` }, 60_000);
    }
  });

  const from = (address: string, { token }: BuiltMember) => ({ token, headers: { 'X-Forwarded-For': address } });
  const preview = (address: string, member: BuiltMember) =>
    call(app.url, 'POST /api/articles/preview', { ...from(address, member), json: { content: 'A *text*.' } });
  const html = () => rowsOf(app.database, 'select html from article_html');

  for (const [first, second] of networks) {
    it(`the previews of all accounts of ${first} are 429, those of another network are not`, async () => {
      for (const address of [first, second]) {
        const { status, body, headers } = await preview(address, await buildMember(app.url));
        expect([status, body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
        expect(Number(headers.get('Retry-After'))).to.be.above(0);
      }
      for (const address of ['203.0.113.1', '2001:db8:1:3::1']) {
        const { status, body } = await preview(address, other);
        expect([status, body?.data.contentHtml]).to.deep.equal([200, '<p>A <em>text</em>.</p>\n']);
      }
    });
  }

  it('its articles are stored without HTML, which a job renders', async () => {
    const json = { title: 'Stored', content: 'A **stored** text.' };
    const author = await buildMember(app.url);
    const { status, body } = await call(app.url, 'POST /api/articles', { ...from('192.0.2.1', author), json });
    expect(status).to.equal(201);
    expect(await html()).to.deep.equal([]);
    await runJobs(app);
    expect(await html()).to.deep.equal([{ html: '<p>A <strong>stored</strong> text.</p>\n' }]);
    const edit = { title: 'Stored', content: 'A *new* text.' };
    const path = `PUT /api/articles/${body?.data.id}`;
    expect((await call(app.url, path, { ...from('192.0.2.1', author), json: edit })).status).to.equal(200);
    expect(await html()).to.deep.equal([]);
    await runJobs(app);
    expect(await html()).to.deep.equal([{ html: '<p>A <em>new</em> text.</p>\n' }]);
  });

  it('its lists have the escaped text of an article without HTML, and are not cached', async () => {
    const { id } = await buildArticle(app.url, { content: 'A *text*.' });
    await runJobs(app);
    const { id: other } = await buildArticle(app.url, { content: 'Another *text*.' });
    await runJobs(app);
    await app.database.sequelize.query(`delete from article_html where article_id = ${id}`);
    const fields = 'contents { id contentHtml }';
    const paged = `{ articles(size: 2) { ${fields} pagination { totalElements } } member: articles(size: 2, page: 1) { ${fields} } }`;
    for (const query of [`{ articles(size: 2) { ${fields} } }`, paged]) {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' };
      const body = JSON.stringify({ query });
      const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
      const { data, errors } = (await response.json()) as Pick<GraphQLResponse, 'data' | 'errors'>;
      expect([response.status, errors, response.headers.get('ETag')]).to.deep.equal([200, undefined, null]);
      expect(data.articles.contents).to.deep.equal([
        { id: `${other}`, contentHtml: '<p>Another <em>text</em>.</p>\n' },
        { id: `${id}`, contentHtml: '<pre>A *text*.</pre>' },
      ]);
    }
    await app.database.sequelize.query(`delete from articles where id in (${id}, ${other})`);
  });

  it('its anonymous reads of articles without HTML are 429, those of another network are not', async () => {
    const { id } = await buildArticle(app.url, { content: 'A *text*.' });
    await app.database.sequelize.query(`delete from article_html where article_id = ${id}`);
    const body = JSON.stringify({ query: `{ article(id: ${id}) { contentHtml } }` });
    const read = async (address: string) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
      const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
      return (await response.json()) as Pick<GraphQLResponse, 'data' | 'errors'>;
    };
    expect((await read('192.0.2.1')).errors?.[0]?.extensions.code).to.equal('RATE_LIMITED');
    expect((await read('203.0.113.1')).data.article.contentHtml).to.equal('<p>A <em>text</em>.</p>\n');
    expect((await read('192.0.2.1')).data.article.contentHtml).to.equal('<p>A <em>text</em>.</p>\n');
  });

  it('jobs wait for the time of all jobs', async () => {
    const author = await buildMember(app.url);
    await call(app.url, 'POST /api/articles', { ...from('192.0.2.1', author), json: { title: 'x', content: 'y' } });
    app.services.renderer.budget.spend({ key: 'm0', network: 'jobs' }, 60_000);
    await runJobs(app);
    const [job] = (await waitingJobs(app)).filter(({ task }) => task === 'render-articles');
    expect(job?.seconds).to.be.within(200, 300);
    expect(job?.payload).to.deep.equal({ memberId: author.id });
  });
});
