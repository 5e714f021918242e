/** Uploaded images in the HTML of articles: the sizes that browsers choose from. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { describeInBrowser, useBrowser } from '../../support/browser.js';
import { buildArticle, buildImage, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { readFeed } from '../../support/feeds.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

async function rendered(id: number): Promise<string> {
  return (await call(app.url, `GET /api/articles/${id}/rendered`)).body?.data.contentHtml;
}

describe('An uploaded image in contentHtml', () => {
  const member = useMember(app);
  let url: string;
  let key: string;
  before(async () => {
    ({ url, key } = await buildImage(app.url, member, 1400, 700));
  });
  const htmlOf = async (content: string) => rendered((await buildArticle(app.url, { content }, member)).id);
  const file = (width?: number) => `${app.url}/images/${key}${width ? `-${width}` : ''}.webp`;
  const srcset = () => `srcset="${file(320)} 320w, ${file(640)} 640w, ${file(1280)} 1280w, ${file()} 1400w"`;

  it('has srcset, sizes, width, height and loading', async () => {
    expect(await htmlOf(`![a](${url} "b")`)).to.equal(
      `<p><img src="${url}" ${srcset()} sizes="(max-width: 1400px) 100vw, 1400px" width="1400" height="700"` +
        ' alt="a" title="b" loading="lazy" /></p>\n',
    );
  });

  it('has size attributes on every host that the content names, with the current address', async () => {
    const html = await htmlOf(`![](https://old.example/blog/images/${key}.webp?x=1) [link](${url})`);
    expect(html).to.include(`<img src="${url}" ${srcset()}`);
    expect(html).to.include(`<a href="${url}"`);
  });

  it('keeps the width that the content declares, or that of the size that it names', async () => {
    const declared = await htmlOf(`<img alt="" src="${url}" width="300">`);
    expect(declared).to.include('sizes="(max-width: 300px) 100vw, 300px"').and.include('width="300"');
    expect(declared).to.not.include('height=');
    const named = await htmlOf(`![](${file(640)})`);
    expect(named).to.include('sizes="(max-width: 640px) 100vw, 640px" width="640" height="320"');
  });

  it('is not changed in code, and other images are not either', async () => {
    const html = await htmlOf(`\`<img src="${url}">\` ![](https://elsewhere.example/a.png) ![](${url})`);
    expect(html).to.include(`<code>&lt;img src="${url}"&gt;</code>`);
    expect(html).to.include('<img src="https://elsewhere.example/a.png" alt="" loading="lazy" />');
    expect(html.match(/srcset/g)).to.have.length(1);
  });

  it('has no attributes from the content besides the allowed ones', async () => {
    const html = await htmlOf(`<img src="${url}" srcset="https://evil.example 1w" sizes="1px" onload="x">`);
    expect(html).to.not.match(/evil|onload|sizes="1px"/);
  });

  it('has sizes in at most 200 places', async () => {
    const html = await htmlOf(`![](${url})`.repeat(250));
    expect(html.match(/<img /g)).to.have.length(250);
    expect(html.match(/srcset/g)).to.have.length(200);
  });

  it('costs no further statement, also for a page of articles and without stored HTML', async () => {
    await htmlOf(`![](${url})`);
    const query = '{ articles(size: 5) { contents { contentHtml articleImgSizes { url } } } }';
    const read = () => statementsDuring(() => graphql(app.url, query, {}, member.token));
    await read();
    expect((await read()).filter((text) => /articles|article_html|images/.test(text))).to.have.length(2);
  });

  it('has size attributes in feeds', async () => {
    await htmlOf(`![](${url})`);
    expect(JSON.stringify(await readFeed(app.url, '/feed', 'json'))).to.include(`${file(640)} 640w`);
  });
});

describeInBrowser('A browser that shows contentHtml', () => {
  const opened = useBrowser();

  it('loads the size that matches its width', async () => {
    const { author } = await buildArticle(app.url);
    const { url } = await buildImage(app.url, author, 2000, 1000);
    const { id } = await buildArticle(app.url, { content: `![](${url})` }, author);
    const html = await rendered(id);
    const { page } = opened.tab;
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    // Ascending: a browser may show a larger size that it has already loaded.
    for (const width of [320, 640, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.setContent(`<style>* { margin: 0 } img { max-width: 100%; height: auto }</style>${html}`);
      await page.waitForFunction('document.images[0].complete && document.images[0].naturalWidth > 0');
      const images = loaded.splice(0).filter((each) => each.endsWith('.webp'));
      expect(images).to.deep.equal([url.replace('.webp', `-${width}.webp`)]);
    }
  });
});
