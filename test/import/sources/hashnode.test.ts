import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openInput } from '../../../src/import/input.js';
import { hashnode } from '../../../src/import/sources/hashnode.js';
import { makeFolder } from '../../support/folder.js';
import { type ReadSource, readSource, reasonsOf, sample } from '../../support/import-sources.js';

describe('Import of a Hashnode export', () => {
  let read: ReadSource;
  before(async () => {
    read = await readSource(hashnode, sample('hashnode.json'));
  });

  it('has posts and drafts, with times, slug, cover image and addresses', () => {
    expect(read.origin).to.equal('hashnode/5cdd04921a7cb8b200000001');
    expect(read.articles.get('Reading logs')).to.deep.include({
      key: '6821a6985006bd988f7f0001',
      state: 'PUBLIC',
      author: null,
      slug: 'reading-logs',
      tags: [],
      createdAt: new Date('2025-05-12T07:43:20.580Z'),
      updatedAt: new Date('2025-05-13T08:00:00Z'),
      image: { reference: 'https://cdn.hashnode.com/res/hashnode/image/upload/v1/cover.png', alt: null, open: null },
      addresses: ['https://hashnode.invalid/reading-logs'],
    });
    expect(read.articles.get('Writing logs')).to.deep.include({
      author: { key: '5cdceddff961be4c61f80001', name: 'Ann Hash', email: null },
      tags: ['Logging'],
      content: '## One\n\nline **per** event',
      addresses: ['https://logs.hashnode.dev/writing-logs', 'https://hashnode.invalid/writing-logs'],
    });
    expect(read.articles.get('')).to.deep.include({ state: 'DRAFT', content: 'Half', slug: null, addresses: [] });
  });

  it('has Markdown without the syntax that only Hashnode has, outside of code', () => {
    expect(read.articles.get('Reading logs')?.content).to.equal(
      [
        'Logs are *texts*. See [the other](https://logs.hashnode.dev/writing-logs).\n',
        '![A log](https://cdn.hashnode.com/res/hashnode/image/upload/v1/a.png)\n',
        '<https://www.youtube.com/watch?v=logs>\n',
        '```md\n%[https://not.an/embed]\n![b](c.png align="left")\n```\n',
      ].join('\n'),
    );
  });

  it('keeps code as it is: a fence with a language does not end it', async () => {
    const path = join(await makeFolder(), 'export.json');
    const contentMarkdown =
      '```\n```js\n%[https://not.an/embed]\n```\n\n`![b](c.png align="left")`\n\n%[https://an.embed/1]';
    await writeFile(path, JSON.stringify({ posts: [{ _id: '1', cuid: '1', title: 'Code', contentMarkdown }] }));
    const { articles } = await readSource(hashnode, path);
    expect(articles.get('Code')?.content).to.equal(
      contentMarkdown.replace('%[https://an.embed/1]', '<https://an.embed/1>'),
    );
  });

  it('reports what was lost, and posts that were deleted', () => {
    expect(reasonsOf(read.articles.get('Reading logs')).toSorted()).to.deep.equal([
      'alignments of images',
      'comments: the export has only their number',
      'credits of cover images | Ann',
      'embedded pages and media: now links | https://www.youtube.com/watch?v=logs',
      'tags: the export has their ids and not their names | 56744723958ef13879b953d0 56744721958ef13879b94c7e',
    ]);
    expect(read.items.filter(({ kind }) => kind === 'left out')).to.deep.equal([
      { kind: 'left out', place: 'posts[2] "Deleted"', reason: 'posts that were deleted in Hashnode' },
    ]);
  });

  it('has one origin, whichever post has no publication', async () => {
    const path = join(await makeFolder(), 'export.json');
    const { posts } = JSON.parse(await readFile(sample('hashnode.json'), 'utf8'));
    const { publication: _, ...other } = posts[0];
    await writeFile(path, JSON.stringify({ posts: [{ ...other, title: 'Unlisted', isDelisted: true }, ...posts] }));
    const { origin, articles } = await readSource(hashnode, path);
    expect(origin).to.equal(read.origin);
    expect(reasonsOf(articles.get('Unlisted'))).to.include('posts that Hashnode does not list: articles are listed');
  });

  it('is recognized by its content', async () => {
    for (const other of ['ghost', 'medium', 'wordpress.xml']) {
      const input = await openInput(sample(other));
      expect(await hashnode.open(input, { publishProtected: false, now: new Date() }), other).to.equal(null);
      await input.close();
    }
  });
});
