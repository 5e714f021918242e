/** Addresses with slugs, as URL parsers, the provided configuration of nginx and browsers change them. */
import { request } from 'node:http';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { describeInBrowser, useBrowser } from '../../support/browser.js';
import { buildArticle, buildMember } from '../../support/build.js';
import { readFeed } from '../../support/feeds.js';
import { type Nginx, startNginx } from '../../support/nginx.js';
import { describeWith } from '../../support/programs.js';

const TITLES = [
  '봄날의 산책',
  '여름밤의 산책'.normalize('NFD'),
  '☕️ tea & 🎂 cake, 100% 👩‍👩‍👧',
  'مرحبا بالعالم ٢٠٢٦',
  'x\u0301\u0323 e\u0308\u0304 हिन्दी में',
  'a/b\\c?d#e%2Ff;g..h',
  `${'가'.repeat(50)}${'İ'.repeat(49)}`,
  '🎂🎂',
  '..',
  '%2F',
];

describeWith(['nginx-light'], 'Addresses with slugs', function () {
  this.timeout(60_000);
  const app = useApp({ ARTICLE_URL: 'https://example.org/read/{slug}', TRUST_PROXY: '1' });
  let nginx: Nginx;
  const articles: { id: number; slug: string; address: string }[] = [];

  before(async () => {
    const { port } = new URL(app.url);
    nginx = await startNginx([port, port]);
    const author = await buildMember(app.url);
    for (const title of TITLES) {
      const { id } = await buildArticle(app.url, { title }, author);
      const [item] = (await readFeed(app.url, '/feed', 'json')).items;
      const response = await fetch(`${app.url}/api/articles/${id}`);
      const { data } = (await response.json()) as { data: { slug: string } };
      articles.push({ id, slug: data.slug, address: item?.url ?? '' });
    }
  });
  after(() => nginx.stop());

  const addressOf = (slug: string) => `${nginx.url}/api/articles/by-slug/${slug}`;

  it('stay the same in a URL, and contain the slug as one segment', () => {
    for (const { slug, address } of articles) {
      const url = new URL(address);
      expect(url.href, slug).to.equal(address);
      expect(decodeURIComponent(url.pathname), slug).to.equal(`/read/${slug}`);
    }
  });

  it('lead to the article through nginx, percent-encoded or not, composed or not', async () => {
    for (const { id, slug, address } of articles) {
      const segment = new URL(address).pathname.split('/').at(-1) ?? '';
      for (const form of [
        segment,
        segment.toLowerCase(),
        slug,
        slug.normalize('NFD'),
        encodeURIComponent(slug.toUpperCase()),
      ]) {
        // The upper case of `i̇` has other letters than the slug.
        if (form !== segment && slug.includes('i\u0307')) continue;
        const response = await fetch(new URL(addressOf(form)));
        const { data } = (await response.json()) as { data: { id: number } };
        expect([response.status, data.id], form).to.deep.equal([200, id]);
      }
    }
  });

  /** Unlike `fetch`, sends the path as it is. */
  const statusOf = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(nginx.url);
      const sent = request({ hostname, port, path }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end();
    });

  it('that are no slugs lead to no article', async () => {
    const base = '/api/articles/by-slug/';
    for (const segment of ['..%2Fme', '%2F', '%2e%2e%2f', 'a%2Fb', '%00', '%FF', 'x'.repeat(300), '%F0%9F%8E%82'])
      expect(await statusOf(base + segment), segment).to.equal(400);
    for (const segment of ['', '..', '.', 'a/b', '../by-slug']) {
      expect(await statusOf(base + segment), segment).to.be.oneOf([400, 404]);
    }
  });

  describeInBrowser('in a browser', () => {
    const opened = useBrowser();

    it('lead to the article from the address bar and from a link', async () => {
      const { page } = opened.tab;
      for (const { id, slug } of articles) {
        const idOnPage = async () => JSON.parse(await page.locator('pre').innerText()).data.id;
        await page.goto(addressOf(slug));
        expect(await idOnPage(), slug).to.equal(id);
        expect(decodeURIComponent(new URL(page.url()).pathname), slug).to.equal(`/api/articles/by-slug/${slug}`);
        await page.goto(`${nginx.url}/robots.txt`);
        await page.evaluate(`document.body.innerHTML = '<a>article</a>';
          document.querySelector('a').setAttribute('href', ${JSON.stringify(`/api/articles/by-slug/${slug}`)})`);
        await Promise.all([page.waitForURL('**/by-slug/**'), page.locator('a').click()]);
        expect(await idOnPage(), slug).to.equal(id);
      }
    });
  });
});
