/** The export of this service as a source: large and damaged files beside the texts, and what an export leaves out. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { LeftOut, SourceArticle, SourceItem } from '../../../src/import/source.js';
import { openSource } from '../../../src/import/sources/index.js';
import { FileError } from '../../../src/platform/errors.js';
import { makeFolder } from '../../support/folder.js';

const ABOUT = { format: 1, url: 'https://old.test', all: true };
const OWL = '---\ntitle: "Owl"\ndate: 2024-01-02T03:04:05Z\nslug: "owl"\nauthor: "mina"\ndraft: false\n---\nHoo.';
const OWL_COMMENTS = 'comments/2024-01-02-owl.json';
const comment = (content: string, others = {}) => ({ author: 'theo', content, createdAt: '2024-01-03', ...others });

interface Read {
  product: string;
  articles: SourceArticle[];
  leftOut: Omit<LeftOut, 'kind'>[];
  items: SourceItem[];
}

async function read(files: Record<string, string | object>): Promise<Read> {
  const folder = await makeFolder();
  const all = { 'daybook-export.json': ABOUT, 'members.json': [], 'articles/2024-01-02-owl.md': OWL, ...files };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const { source, close } = await openSource(folder, { publishProtected: false, now: new Date('2026-01-01') });
  try {
    const items: SourceItem[] = await Readable.from(source.items()).toArray();
    const articles = items.filter((item) => item.kind === 'article');
    const leftOut = items.filter((item) => item.kind === 'left out').map(({ kind: _, ...rest }) => rest);
    return { product: source.product, articles, leftOut, items };
  } finally {
    await close();
  }
}

const failureOf = (files: Record<string, string | object>) =>
  read(files).then(
    () => null,
    (error: unknown) => error,
  );

describe('An export of Daybook', () => {
  it('can have more than 16 MiB of comments on an article, and of members', async () => {
    const comments = Array.from({ length: 18_000 }, () => comment('x'.repeat(1_000)));
    const members = Array.from({ length: 60_000 }, (_, index) => ({
      nickname: `member ${index}`,
      bio: 'x'.repeat(200),
      image: null,
      createdAt: '2024-01-01T00:00:00.000Z',
    }));
    const { articles, items } = await read({ [OWL_COMMENTS]: comments, 'members.json': members });
    expect(articles.map((article) => article.comments.length)).to.deep.equal([18_000]);
    expect(new Set(articles[0]?.comments.map(({ key }) => key)).size).to.equal(18_000);
    expect(items.filter(({ kind }) => kind === 'member')).to.have.lengthOf(60_000);
  });

  it('has at most 100,000 comments on an article, with the others counted', async () => {
    const comments = Array.from({ length: 99_999 }, () => comment('x'));
    const replies = [comment('fits'), comment('too much')];
    const { articles } = await read({ [OWL_COMMENTS]: [comment('first', { replies }), ...comments] });
    expect([articles[0]?.comments.length, articles[0]?.comments[1]?.content]).to.deep.equal([100_000, 'fits']);
    const reason = 'comments beyond 100000 or 67108864 characters of an article: skipped';
    expect(articles[0]?.reduced).to.deep.equal([{ reason, count: 2 }]);
  });

  it('has the article of comments that cannot be read, and those before the damage', async () => {
    for (const damaged of [JSON.stringify([comment('One')]).replace(/\]$/, ',{'), '', '[{"author":}]']) {
      const { articles, leftOut } = await read({ [OWL_COMMENTS]: damaged });
      const comments = articles[0]?.comments ?? [];
      expect(comments.filter((each) => !each.leftOut).length).to.equal(damaged.includes('One') ? 1 : 0);
      expect(comments.at(-1)?.leftOut).to.equal('comments in files that cannot be read');
      expect(comments.at(-1)?.key).to.match(
        /^comments\/2024-01-02-owl\.json cannot be read: (?:the file is truncated|0 is not valid)/,
      );
      expect(leftOut).to.deep.equal([]);
    }
  });

  it('is not imported without the profiles that it has, or in another format', async () => {
    for (const [files, message] of [
      [{ 'members.json': '[{"nickname":' }, /^members\.json cannot be read: the file is truncated/],
      [{ 'daybook-export.json': { ...ABOUT, format: 2 } }, /daybook-export\.json does not have "format": 1, but 2: /],
      [{ 'daybook-export.json': '{' }, /daybook-export\.json does not have "format": 1, but none: it is damaged/],
      [
        { 'daybook-export.json': ' '.repeat(17 * 1024 * 1024) },
        /^its daybook-export\.json cannot be read: it has more than 16,777,216 bytes$/,
      ],
    ] as const) {
      const error = await failureOf(files);
      expect(error).to.be.instanceOf(FileError);
      expect((error as Error).message).to.match(message);
    }
  });

  it('reports members without a nickname, and comments without their article', async () => {
    const { leftOut } = await read({ 'members.json': [{}], 'comments/2024-01-09-gone.json': [comment('One')] });
    expect(leftOut).to.deep.equal([
      { place: 'members.json', reason: 'members without a nickname' },
      { place: 'comments/2024-01-09-gone.json', reason: 'comments on articles that are not in the source' },
    ]);
  });

  it('reports hidden comments of an export without --all, which does not have their contents', async () => {
    const hidden = { [OWL_COMMENTS]: [comment('(hidden)', { hidden: true }), comment('Two')] };
    const reasonsOf = ({ articles }: Read) => articles[0]?.comments.map(({ reduced = [] }) => reduced.length);
    expect(reasonsOf(await read({ ...hidden, 'daybook-export.json': { ...ABOUT, all: false } }))).to.deep.equal([1, 0]);
    expect(reasonsOf(await read(hidden))).to.deep.equal([0, 0]);
  });

  it('is recognized by its own file, whatever its comments look like', async () => {
    const { product, articles } = await read({ [OWL_COMMENTS]: { db: [{ meta: {}, data: { posts: [] } }] } });
    expect([product, articles.length]).to.deep.equal(['Markdown', 1]);
  });

  it('has the same key for a text in another folder, since its visibility may change', async () => {
    const { articles } = await read({ 'private/2024-01-02-owl.md': OWL });
    expect(new Set(articles.map(({ key, state }) => `${key} ${state}`)).size).to.equal(2);
    expect(new Set(articles.map(({ key }) => key)).size).to.equal(1);
  });
});
