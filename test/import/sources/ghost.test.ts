import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { openInput } from '../../../src/import/input.js';
import { ghost } from '../../../src/import/sources/ghost.js';
import { makeFolder } from '../../support/folder.js';
import { openWith, type ReadSource, readSource, reasonsOf, sample } from '../../support/import-sources.js';

describe('Import of a Ghost export', () => {
  let read: ReadSource;
  before(async () => {
    read = await readSource(ghost, sample('ghost/export.json'));
  });

  it('has the posts with their states', () => {
    const states = [...read.articles].map(([title, { state }]) => `${title}: ${state}`);
    expect(states).to.deep.equal([
      'Owls & others: PUBLIC',
      '안개: PRIVATE',
      'For the newsletter: PRIVATE',
      'Half written: DRAFT',
      'Tomorrow: SCHEDULED',
      'Tomorrow, for members: DRAFT',
      'Lexical only: DRAFT',
      'Mobiledoc only: PUBLIC',
    ]);
    expect(read.articles.get('Tomorrow')?.publishAt).to.deep.equal(new Date('2099-01-02T03:04:05Z'));
    expect(reasonsOf(read.articles.get('안개'))).to.deep.equal(['posts for paid: private']);
    expect(reasonsOf(read.articles.get('For the newsletter'))).to.deep.equal(['posts sent by email only: private']);
    expect(reasonsOf(read.articles.get('Tomorrow, for members'))).to.have.lengthOf(1);
    expect(read.items.filter(({ kind }) => kind === 'left out')).to.deep.equal([
      { kind: 'left out', place: 'data.posts[6] "About"', reason: 'pages: only posts become articles' },
    ]);
  });

  it('has the first author, tags without internal ones, times, slug and comments', () => {
    const article = read.articles.get('Owls & others');
    expect(article).to.deep.include({
      key: '0000000000000000000000a1',
      author: { key: '0000000000000000000000f1', name: 'Ann Ghost', email: 'ann@example.org' },
      tags: ['Night', 'Birds'],
      slug: 'owls',
      createdAt: new Date('2023-02-03T04:05:06Z'),
      updatedAt: new Date('2023-03-04T05:06:07Z'),
    });
    expect(
      article?.comments.map(({ key, parentKey, author, leftOut }) => [
        key.slice(-2),
        parentKey?.slice(-2),
        author?.email,
        leftOut,
      ]),
    ).to.deep.equal([
      ['c2', 'c1', 'cho@example.org', undefined],
      ['c1', undefined, 'bea@example.org', undefined],
      ['c3', undefined, null, 'comments that were hidden'],
    ]);
  });

  it('has its HTML as Markdown, with embedded pages as links and figures with captions as HTML', () => {
    expect(read.articles.get('Owls & others')?.content.split('\n\n')).to.deep.equal([
      'There is **one** in the attic, see [the fog](/fog/).',
      '![An owl \\[grey\\]](/content/images/2023/02/owl.png)',
      '<figure><img src="/content/images/size/w1000/2023/02/owl.png" alt="" loading="lazy"><figcaption>At night</figcaption></figure>',
      '<https://www.youtube.com/embed/owl?feature=oembed>',
      '[Owls All of them.](https://owls.example/)',
      '💡',
      'They hear well.',
      '[/content/media/2023/02/owl.mp4](/content/media/2023/02/owl.mp4)',
      '```js\nconst owl = `*`;\n```',
      '---',
      '| Owl | Ears |\n| --- | --- |\n| Grey | 2 |',
    ]);
  });

  it('takes posts without HTML from the documents of the editors, and reports their cards', () => {
    expect(read.articles.get('Lexical only')?.content).to.equal(
      '## Sea & fog\n\nIt comes **at nine**\\\n[*from the sea*](https://sea.example)\n\n- cold\n\n```sh\ndate\n```',
    );
    expect(read.articles.get('Mobiledoc only')?.content).to.equal(
      '## Moon\n\n# Tide\n\n- low\n\n![Tide](/content/images/2023/02/owl.png)\n\n- one\n- two\n\n2 < 3',
    );
    expect(reasonsOf(read.articles.get('Lexical only'))).to.deep.equal([
      'posts without HTML: taken from the document of the editor, without some of their markup',
      'cards of the editor in posts without HTML | signup',
    ]);
  });

  it('reports everything that articles do not have', () => {
    expect(reasonsOf(read.articles.get('Owls & others')).toSorted()).to.deep.equal([
      'captions of feature images | Photo by Ann',
      'code injection: articles have no scripts | <style>p{}</style>',
      'embedded pages and media: now links | /content/media/2023/02/owl.mp4',
      'embedded pages and media: now links | https://www.youtube.com/embed/owl?feature=oembed',
      'feature images that are not in the archive | /content/images/2023/02/owl.png',
      'files other than images: links to them stay, and lead nowhere | /content/media/2023/02/owl.mp4',
      'forms in HTML: left out, except for their texts',
      'further authors: an article has one | Ben',
      'images that are not in the archive: links to them stay, and lead nowhere | /content/images/2023/02/owl.png',
      'images that are not in the archive: links to them stay, and lead nowhere | /content/images/size/w1000/2023/02/owl.png',
      'internal tags: readers of articles would see them | #internal',
      'scripts, styles and drawings in HTML: left out',
      'titles, descriptions and images for search engines and social networks',
    ]);
  });

  it('reports comments on pages and unknown posts, and members without comments', async () => {
    const file = JSON.parse(await readFile(sample('ghost/export.json'), 'utf8'));
    const { data } = file.db[0];
    const page = data.posts.find(({ title }: { title: string }) => title === 'About');
    const [comment] = data.comments;
    data.comments.push({ ...comment, id: 'x1', post_id: page.id }, { ...comment, id: 'x2', post_id: 'gone' });
    data.members.push({ id: 'reader', name: 'Reader', email: 'reader@example.org' });
    const path = join(await makeFolder(), 'export.json');
    await writeFile(path, JSON.stringify(file));
    const { items } = await readSource(ghost, path);
    expect(items.filter((item) => item.kind === 'left out' && item.count !== undefined)).to.deep.equal([
      {
        kind: 'left out',
        place: 'data.comments',
        reason: 'comments on pages, and on posts that are not in the export',
        count: 2,
      },
      { kind: 'left out', place: 'data.members', reason: 'members without comments', count: 1 },
    ]);
  });

  it('has the title beside the place in the report, and not in it', () => {
    expect(read.articles.get('Owls & others')?.place).to.match(/^data\.posts\[\d+\]$/);
  });

  it('reads images from content/images, also for a smaller size of them', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'content/images/2023/02'), { recursive: true });
    await cp(sample('ghost/export.json'), join(folder, 'export.json'));
    await writeFile(join(folder, 'content/images/2023/02/owl.png'), 'pixels');
    const input = await openInput(folder);
    const source = await openWith(ghost, input);
    for await (const item of source.items()) {
      if (item.kind !== 'article' || item.slug !== 'owls') continue;
      expect(item.image).to.include({ reference: '/content/images/2023/02/owl.png', alt: 'A grey owl' });
      expect(item.images.map(({ reference }) => reference)).to.deep.equal([
        '/content/images/2023/02/owl.png',
        '/content/images/size/w1000/2023/02/owl.png',
      ]);
      for (const image of [item.image, ...item.images]) {
        const stream = await image?.open?.();
        expect(stream && String(await buffer(stream))).to.equal('pixels');
      }
    }
    await input.close();
  });

  it('leaves images of other blogs, which only have similar addresses', async () => {
    const path = join(await makeFolder(), 'export.json');
    const html = '<p><img src="https://other.example/content/images/2023/02/owl.png" alt="An owl"></p>';
    const posts = [{ id: '1', status: 'published', title: 'Quoted', html }];
    await writeFile(path, JSON.stringify({ db: [{ meta: {}, data: { posts } }] }));
    const article = (await readSource(ghost, path)).articles.get('Quoted');
    expect(article?.content).to.equal('![An owl](https://other.example/content/images/2023/02/owl.png)');
    expect([article?.images, reasonsOf(article)]).to.deep.equal([[], []]);
  });

  it('is read in time proportional to its length, whatever its posts contain', async () => {
    const path = join(await makeFolder(), 'export.json');
    const posts = ['kg-image ', '<pre>'].map((text, id) => ({
      id: `${id}`,
      status: 'published',
      title: text,
      html: `<img ${text.repeat(3_000_000 / text.length)}<p>end</p>`,
    }));
    await writeFile(path, JSON.stringify({ db: [{ meta: {}, data: { posts } }] }));
    expect([...(await readSource(ghost, path)).articles.keys()]).to.deep.equal(['kg-image ', '<pre>']);
  });

  it('has one origin for all exports of a blog', async () => {
    expect(read.origin).to.equal('ghost/000000000000000000000040');
  });

  it('is recognized by its content', async () => {
    for (const other of ['hashnode.json', 'wordpress.xml', 'medium']) {
      const input = await openInput(sample(other));
      expect(await ghost.open(input, { publishProtected: false, now: new Date() }), other).to.equal(null);
      await input.close();
    }
  });
});
