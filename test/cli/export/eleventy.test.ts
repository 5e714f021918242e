/** Eleventy, a site generator, builds pages from an exported folder. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildImage, buildMember } from '../../support/build.js';
import { buildDraft } from '../../support/drafts.js';
import { makeFolder } from '../../support/folder.js';
import { exportMarkdown, readFiles } from '../../support/markdown-folder.js';
import { describeWith } from '../../support/programs.js';

const app = useApp();
const run = promisify(execFile);

/** Relative to the page that refers to it. */
function imagesOf(page: string, path: string): string[] {
  return [...page.matchAll(/<img src="([^"]*)"/g)].map(([, source = '']) => join(path, '..', source));
}

describeWith(['@11ty/eleventy@3.1.8'], 'Eleventy', function () {
  this.timeout(60_000);

  it('builds a page of each public article of an exported folder, with its images in place', async () => {
    const author = await buildMember(app.url);
    const photo = await buildImage(app.url, author);
    const content = `# Fog\n\nRun {{ secrets.KEY }} and {% raw %}.\n\n![a lamp](${photo.url})\n\n<img src="/images/${photo.key}.webp" alt="again">`;
    for (const title of ['등대: "fog"', '--- # no']) await buildArticle(app.url, { title, content }, author);
    await buildArticle(app.url, { title: 'Diary', visibility: 'PRIVATE' }, author);
    await buildDraft(app.url, { title: 'Unfinished' }, author);
    // An absolute path as `--input` is not supported.
    const { folder, files } = await exportMarkdown(app, '--all');
    const site = join(await makeFolder(), 'site');
    await run('eleventy', ['--input=.', `--output=${site}`, '--formats=md,webp', '--quiet'], { cwd: folder });
    const built = await readFiles(site);
    const articles = [...files.keys()].filter((path) => /^articles\/.*\.md$/.test(path));
    const images = [...files.keys()].filter((path) => path.startsWith('images/'));
    expect([...built.keys()].sort()).to.deep.equal(
      [...articles.map((path) => path.replace(/md$/, 'html')), ...images].sort(),
    );
    for (const path of articles.map((path) => path.replace(/md$/, 'html'))) {
      const page = built.get(path)?.toString() ?? '';
      expect(page)
        .to.contain('<h1>Fog</h1>')
        .and.contain('Run {{ secrets.KEY }} and {% raw %}.')
        .and.contain('alt="a lamp"');
      expect(imagesOf(page, path)).to.deep.equal([images[0], images[0]]);
    }
    for (const path of images) expect(built.get(path)?.equals(files.get(path) as Buffer)).to.equal(true);
  });
});
