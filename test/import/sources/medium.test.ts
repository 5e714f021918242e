import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { openInput } from '../../../src/import/input.js';
import type { SourceArticle } from '../../../src/import/source.js';
import { medium } from '../../../src/import/sources/medium.js';
import { FileError } from '../../../src/platform/errors.js';
import { makeFolder } from '../../support/folder.js';
import { openWith, type ReadSource, readSource, reasonsOf, sample } from '../../support/import-sources.js';

describe('Import of a Medium export', () => {
  let read: ReadSource;
  before(async () => {
    read = await readSource(medium, sample('medium'));
  });

  it('has stories and drafts, with their author, tags, times and addresses', () => {
    expect(read.origin).to.equal('medium.com/@ann');
    const author = { key: '@ann', name: 'Ann Medium', email: 'ann@example.org' };
    expect(read.articles.get('The attic & the owl')).to.deep.include({
      key: 'aaaa11112222',
      state: 'PUBLIC',
      author,
      slug: 'the-attic-the-owl',
      tags: ['Owls', 'Night'],
      createdAt: new Date('2024-05-06T07:08:09.123Z'),
      addresses: ['https://medium.com/@ann/the-attic-the-owl-aaaa11112222', 'https://medium.com/p/aaaa11112222'],
    });
    expect(read.articles.get('안개가 온다')).to.include({ slug: '안개', content: '안개는 <em>“바다”</em>에서 온다.' });
    expect(read.articles.get('Half a story')).to.deep.include({ state: 'DRAFT', content: 'Once', author, slug: null });
  });

  it('has their content, without what repeats the title, and code with its language', () => {
    expect(read.articles.get('The attic & the owl')?.content.split('\n\n')).to.deep.equal([
      '### A visit',
      '<figure> <img alt="An owl" src="https://cdn-images-1.medium.com/max/800/1*owl.jpeg"> <figcaption>At <em>night</em></figcaption></figure>',
      'There is **one**, and [another](https://medium.com/p/bbbb22223333).',
      '## What it hears',
      '```bash\nlisten &&\n  hoot\n```',
      '```\nplain\n```',
      '---',
      '- grey\n- quiet',
      '<https://gist.github.com/ann/0123456789abcdef>',
      '<https://www.youtube.com/embed/owl?feature=oembed>',
      '[**Owls**\\\n*All of them*owls.example](https://owls.example/ "https://owls.example/")',
      '> Hoo.',
    ]);
    expect(reasonsOf(read.articles.get('The attic & the owl'))).to.deep.equal([
      'embedded pages and media: now links | https://gist.github.com/ann/0123456789abcdef',
      'embedded pages and media: now links | https://www.youtube.com/embed/owl?feature=oembed',
    ]);
  });

  it('leaves out responses and other files, and reports them', () => {
    expect(read.items.filter(({ kind }) => kind === 'left out')).to.deep.equal([
      {
        kind: 'left out',
        place: 'posts/2024-06-02_I-agree-with-all-of-it-cccc33334444.html',
        reason: 'responses to other posts, and posts without a title: they cannot be told apart',
      },
      { kind: 'left out', place: 'claps/', reason: 'files that are not posts', count: 1 },
      { kind: 'left out', place: 'profile/', reason: 'files that are not posts', count: 1 },
    ]);
  });

  it('lists the files of the archive once, whatever their number', async () => {
    const input = await openInput(sample('medium'));
    let listed = 0;
    const entries = () => {
      listed++;
      return input.entries();
    };
    const source = await openWith(medium, { ...input, entries });
    const before = listed;
    for await (const _ of source.items()) source.progress();
    expect([before, listed]).to.deep.equal([2, 3]);
    await input.close();
  });

  it('ends if the archive cannot be read on', async () => {
    const input = await openInput(sample('medium'));
    let opened = 0;
    const failing = [...input.entries()].map((entry) => ({
      size: 1,
      path: entry.path,
      // The first one is opened to recognize the export.
      open: () =>
        opened++ === 0
          ? entry.open()
          : Promise.reject(new FileError('its files are too large for their compressed form')),
    }));
    const source = await openWith(medium, { ...input, entries: () => failing });
    const failure = await Readable.from(source.items())
      .toArray()
      .catch((error) => error);
    expect(failure).to.be.instanceOf(FileError);
    await input.close();
  });

  const withBody = async (name: string, change: (html: string) => string | Buffer) => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'posts'));
    const path = 'posts/2024-05-06_The-attic---the-owl-aaaa11112222.html';
    const html = await readFile(sample(`medium/${path}`), 'utf8');
    await writeFile(join(folder, 'posts', name), change(html));
    return (await readSource(medium, folder)).items[0];
  };

  it('is read in time proportional to its length, whatever its posts contain', async () => {
    const many = (text: string) => text.repeat(4_000_000 / text.length);
    for (const [place, hostile] of [
      ['<footer>', many('<pre>')],
      ['<section data-field="body"', many('<h1 class="p-name">')],
      ['<section data-field="body"', many('<section data-field="subtitle"')],
      ['</footer>', `<a href="https://medium.com/@${many('a')}">`],
    ] as const) {
      const item = await withBody('a.html', (html) =>
        html.replace('<h1 class="p-name">', '<h1>').replace(place, () => `${hostile}${place}`),
      );
      expect(item?.kind, hostile.slice(0, 30)).to.be.oneOf(['article', 'left out']);
    }
  });

  it('reports what is not text in UTF-8', async () => {
    const invalid = await withBody('a.html', (html) =>
      Buffer.concat([
        Buffer.from(html.replace('</section>', '안개'.repeat(9))),
        Buffer.from([0xff]),
        Buffer.from('</section><footer>'),
      ]),
    );
    expect(reasonsOf(invalid as SourceArticle)).to.include('characters that are invalid in utf-8: now �');
  });

  it('is recognized by its content', async () => {
    for (const other of ['hashnode.json', 'ghost', 'wordpress.xml']) {
      const input = await openInput(sample(other));
      expect(await medium.open(input, { publishProtected: false, now: new Date() }), other).to.equal(null);
      await input.close();
    }
  });
});
