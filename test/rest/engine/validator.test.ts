/** ETag and Last-Modified of cacheable responses: what they distinguish, and when they change. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { call } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { ageStamps, buildSample, fetchCopy, publicAddresses, SAMPLE } from '../../support/stamps.js';
import { until } from '../../support/until.js';

describe('An HTTP validator', () => {
  const app = useApp();
  let token: string;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetchCopy(app.url + path, headers, method);
  before(async () => {
    ({ token } = await buildSample(app));
  });

  it('accepts dates in the three HTTP formats', async () => {
    const { lastModified } = await get('/api/articles/1');
    const moment = new Date(lastModified ?? '');
    const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) \d\d(\d\d) ([\d:]+)/.exec(lastModified ?? '') ?? [];
    const weekday = moment.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    const forms = [
      lastModified ?? '',
      `${weekday}, ${date}-${month}-${year} ${time} GMT`,
      `${day} ${month} ${String(Number(date)).padStart(2)} ${time} 20${year}`,
    ];
    for (const form of forms) {
      expect((await get('/api/articles/1', { 'If-Modified-Since': form })).status, form).to.equal(304);
    }
  });

  it('has a different ETag for every address', async () => {
    const tags = await Promise.all(publicAddresses(SAMPLE).map(async (path) => (await get(path)).etag));
    expect(new Set(tags).size).to.equal(tags.length);
  });

  it('has a different ETag for each language, and matches only the copy in that language', async () => {
    const [english, korean] = await Promise.all(
      ['en', 'ko'].map((language) => get('/api/articles/1', { 'Accept-Language': language })),
    );
    expect(english?.etag).to.not.equal(korean?.etag);
    for (const [language, copy, status] of [
      ['ko', korean, 304],
      ['en', korean, 200],
      ['en', english, 304],
    ] as const) {
      const response = await get('/api/articles/1', { 'Accept-Language': language, 'If-None-Match': copy?.etag ?? '' });
      expect(response.status, language).to.equal(status);
      expect(response.headers.get('Content-Language')).to.equal(language);
      expect(response.headers.get('Vary'))
        .to.match(/Origin/)
        .and.match(/Accept-Language/);
    }
  });

  it('uses the previous second while changes in the same second are possible', async () => {
    const { lastModified, second } = await until(async () => {
      await call(app.url, 'POST /api/articles/1/comments', { token, json: { content: 'New' } });
      const { lastModified, headers } = await get('/api/articles/1/comments');
      const [changed] = await rowsOf<{ second: number }>(
        app.database,
        'select floor(extract(epoch from discussed_at))::integer as second from articles where id = 1',
      );
      const second = Number(changed?.second) * 1000;
      // A busy machine may read the comments later than in the five seconds after the change.
      return Date.parse(headers.get('Date') ?? '') - second <= 3_000 && { lastModified, second };
    });
    expect(Date.parse(lastModified ?? '')).to.be.below(second);
    const since = { 'If-Modified-Since': lastModified ?? '' };
    expect((await get('/api/articles/1/comments', since)).status).to.equal(200);
    await ageStamps(app.database);
  });
});

describe('A public GET with other settings', () => {
  const [one, two] = [useApp(), useApp({ PUBLIC_URL: 'https://other.example.org' })];

  it('has different ETags, since its content contains other addresses', async () => {
    await buildArticle(one.url);
    for (const path of ['/api/articles/1', '/feed.xml', '/sitemap.xml']) {
      const [first, second] = await Promise.all([one, two].map(({ url }) => fetchCopy(url + path)));
      expect(first?.etag, path).to.not.equal(second?.etag);
    }
  });
});
