/** Descriptions, original addresses and times of publication that other products export, as the API shows them. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadSource } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import { useApp } from '../support/app.js';
import { call } from '../support/client.js';
import { sourceArticle, sourceOf } from '../support/import-source.js';
import { load } from '../support/imported.js';

const SAMPLES = fileURLToPath(new URL('../../../test/data/', import.meta.url));

type Shown = Record<'title' | 'description' | 'canonicalUrl' | 'publishedAt', string | null>;

describe('Imports of metadata', () => {
  const app = useApp();
  const articles = async (): Promise<Map<string | null, Shown>> => {
    const { body } = await call(app.url, 'GET /api/articles?size=100');
    return new Map(body?.data.contents.map((article: Shown) => [article.title, article]));
  };

  const EXPECTED: Readonly<Record<string, [title: string, Partial<Shown>]>> = {
    'ghost/export.json': [
      'Owls & others',
      {
        description: 'One owl.',
        canonicalUrl: 'https://birds.example/owls',
        publishedAt: '2023-02-03T04:05:06',
      },
    ],
    'wordpress.xml': ['첫 글 — 봄', { description: '봄의 시작 & 끝', canonicalUrl: null }],
    'markdown/hugo': [
      'An owl: in the "attic"',
      {
        description: 'About an owl',
        canonicalUrl: 'https://birds.example/owl',
        publishedAt: '2020-01-01T18:04:05',
      },
    ],
    'markdown/jekyll': ['Winter walk', { description: 'Through snow', canonicalUrl: 'https://birds.example/walk' }],
    'hashnode.json': ['Reading logs', { description: 'With care', canonicalUrl: 'https://old.example/logs' }],
    medium: [
      'The attic & the owl',
      { description: 'A visit', canonicalUrl: 'https://medium.com/@ann/the-attic-the-owl-aaaa11112222' },
    ],
  };

  for (const [path, [title, expected]] of Object.entries(EXPECTED)) {
    it(`keep those of ${path}`, async () => {
      await call(app.url, 'POST /api/auth/register', {
        json: { email: 'ed@example.org', password: 'a password of ed', memberName: 'Ed' },
      });
      await load(app.database, SAMPLES + path, {
        authorEmail: 'ed@example.org',
        openPictures: async () => ({ images: app.services.images, publicUrl: app.url }),
        downloads: false,
      });
      expect((await articles()).get(title)).to.deep.include(expected);
    });
  }

  it('shorten descriptions, and leave out what is not an address', async () => {
    const report = new Report();
    const metadata = { description: ` Two\nlines ${'x'.repeat(300)}`, canonicalUrl: '/owls' };
    await loadSource(app.database, sourceOf([sourceArticle('long', { metadata })]), report);
    const { description, canonicalUrl } = (await articles()).get('Title long') ?? {};
    expect([[...(description ?? '')].length, description?.slice(0, 9), canonicalUrl]).to.deep.equal([
      300,
      'Two lines',
      null,
    ]);
    const reasons = Object.keys(report.counts('reduced'));
    expect(reasons).to.include.members([
      'description: shortened to 300 characters',
      'canonicalUrl: left out, since it is not an absolute http or https address of at most 2000 characters',
    ]);
  });
});
