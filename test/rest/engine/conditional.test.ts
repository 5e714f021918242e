/** Conditional GET: responses to If-None-Match and If-Modified-Since. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildSample, type Copy, fetchCopy, publicAddresses, SAMPLE, TOKENLESS } from '../../support/stamps.js';
import { statementsDuring } from '../../support/statements.js';

/** The first depends on the configuration only, which has no stamp; the second is never stored; the third has the tag of its content (change.test.ts). */
const UNSTAMPED = ['/api/auth/oauth/providers', '/api/shared/{token}', '/api/changes'];

/** Whether the tag begins with the revision of the article. */
const isRevisioned = (path: string) =>
  /^\/api\/articles\/(?:\d+(?:\/(?:rendered|markdown))?|by-slug\/[a-z]+)$|\.md$/.test(path);

describe('Every public GET', () => {
  const app = useApp();
  let token: string;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetchCopy(app.url + path, headers, method);
  before(async () => {
    ({ token } = await buildSample(app));
  });

  it('is covered by this test', async () => {
    const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<string, { get?: { security: unknown[]; responses: object } }>;
    };
    const open = Object.entries(paths).flatMap(([path, { get: operation }]) =>
      operation && operation.security.length === 0 && !UNSTAMPED.includes(path) ? [[path, operation] as const] : [],
    );
    expect(open.length).to.be.above(3);
    for (const [path, { responses }] of open) {
      expect(responses, path).to.have.property('304');
      const pattern = new RegExp(
        `^${path.replace(/\{(?:slug|nickname)\}/, '[a-z]+').replace(/\{\w+\}/g, '\\d+')}(?:\\?|$)`,
      );
      expect(
        publicAddresses(SAMPLE).some((address) => pattern.test(address)),
        path,
      ).to.equal(true);
    }
  });

  for (const path of publicAddresses(SAMPLE)) {
    describe(`GET ${path}`, () => {
      let copy: Copy;
      beforeEach(async () => {
        copy = await get(path);
      });

      it('returns 200 with validators and Cache-Control: public, no-cache', () => {
        expect(copy.status).to.equal(200);
        const tag = isRevisioned(path) ? /^W\/"1\.[\w-]{20,}"$/ : /^W\/"[\w-]{20,}"$/;
        expect(copy.etag).to.match(tag);
        expect(copy.headers.get('Cache-Control')).to.equal('public, no-cache');
        expect(copy.headers.get('Vary')).to.contain('Origin');
        const moment = Date.parse(copy.lastModified ?? '');
        expect(moment).to.be.below(Date.now());
        expect(new Date(moment).toUTCString()).to.equal(copy.lastModified);
      });

      it('returns 304 without a body for If-None-Match, in one statement that reads no content', async () => {
        let response: Copy | undefined;
        const request = async () => {
          response = await get(path, { 'If-None-Match': copy.etag ?? '' });
        };
        const [only, ...others] = await statementsDuring(request);
        expect(others).to.deep.equal([]);
        expect(only)
          .to.match(/as stamp/)
          .and.not.match(path.includes('nickname') ? /content|title/ : /content|title|nickname/);
        expect([response?.status, response?.body]).to.deep.equal([304, '']);
        for (const header of ['ETag', 'Last-Modified', 'Cache-Control', 'Vary']) {
          expect(response?.headers.get(header), header).to.equal(copy.headers.get(header));
        }
        expect(response?.headers.get('Content-Type')).to.equal(null);
      });

      it('returns 304 for If-None-Match as a list, a strong ETag or *, and for HEAD', async () => {
        const strong = copy.etag?.slice(2) ?? '';
        for (const tags of [`"x", ${copy.etag}`, `W/"a,b" ,${strong},"y"`, strong, '*', ' * ']) {
          expect((await get(path, { 'If-None-Match': tags })).status, tags).to.equal(304);
          expect((await get(path, { 'If-None-Match': tags }, 'HEAD')).status, tags).to.equal(304);
        }
      });

      it('returns 200 for other ETags, with at most one additional statement', async () => {
        const usual = await statementsDuring(() => get(path));
        for (const tags of ['"x"', 'W/"x"', copy.etag?.replaceAll('"', '') ?? '', copy.etag?.toLowerCase() ?? '']) {
          let response: Copy | undefined;
          const request = async () => {
            response = await get(path, { 'If-None-Match': tags });
          };
          expect((await statementsDuring(request)).length, tags).to.be.at.most(usual.length + 1);
          expect([response?.status, response?.body, response?.etag], tags).to.deep.equal([200, copy.body, copy.etag]);
        }
      });

      it('returns 304 for If-Modified-Since in one statement, unless If-None-Match takes precedence', async () => {
        const since = copy.lastModified ?? '';
        const request = () => get(path, { 'If-Modified-Since': since });
        expect((await request()).status).to.equal(304);
        expect(await statementsDuring(request)).to.have.length(1);
        expect((await get(path, { 'If-Modified-Since': since, 'If-None-Match': '"x"' })).status).to.equal(200);
        const earlier = new Date(Date.parse(since) - 1000).toUTCString();
        for (const other of [earlier, 'yesterday', '2999-01-01T00:00:00Z', '']) {
          expect((await get(path, { 'If-Modified-Since': other })).status, other).to.equal(200);
        }
        expect((await get(path, { 'If-Modified-Since': earlier, 'If-None-Match': copy.etag ?? '' })).status).to.equal(
          304,
        );
      });

      it('returns 200 with no-store to a member, without validators except the tag of an article', async () => {
        const response = await get(path, { Authorization: `Bearer ${token}`, 'If-None-Match': '*' });
        expect([response.status, response.body]).to.deep.equal([200, copy.body]);
        const isTagged = isRevisioned(path) && path.startsWith('/api/');
        expect([response.etag, response.lastModified]).to.deep.equal([isTagged ? copy.etag : null, null]);
        expect(response.headers.get('Cache-Control')).to.equal('no-store');
      });
    });
  }

  it('returns 401 for an invalid token, regardless of the condition', async () => {
    for (const path of publicAddresses(SAMPLE).filter((path) => !TOKENLESS.test(path))) {
      const response = await get(path, { Authorization: 'Bearer bad', 'If-None-Match': '*' });
      expect([response.status, response.etag], path).to.deep.equal([401, null]);
    }
  });

  for (const [path, status] of [
    ['/api/articles?size=0', 400],
    ['/api/articles?size=1000', 400],
    ['/api/articles?keyword=%00', 400],
    ['/api/articles/x', 400],
    ['/api/articles/1/comments?page=0', 400],
    ['/api/articles/1/comments?size=101', 400],
    ['/api/articles/999999', 404],
    ['/api/articles/99999999999999999999', 404],
    ['/api/articles/999999/comments', 404],
    ['/api/comments/999999/replies', 404],
    ['/members/999999/feed.xml', 404],
    ['/members/x/feed.xml', 400],
    ['/tags/%00/feed.xml', 400],
    ['/sitemap-9.xml', 404],
    ['/articles/unknown.md', 404],
    ['/articles/not%20one.md', 404],
  ] as const) {
    it(`returns ${status} for ${path} without validators, regardless of the condition`, async () => {
      const now = new Date().toUTCString();
      const conditions: Record<string, string>[] = [{}, { 'If-None-Match': '*' }, { 'If-Modified-Since': now }];
      for (const headers of conditions) {
        const response = await get(path, headers);
        expect([response.status, response.etag, response.lastModified]).to.deep.equal([status, null, null]);
        expect(response.headers.get('Cache-Control')).to.equal('no-store');
      }
    });
  }
});
