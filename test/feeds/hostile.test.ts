/** Feeds stay well-formed and contain no active content, for any member content. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { EXTENSIONS, readFeed } from '../support/feeds.js';

const app = useApp();

const TITLES = [
  '<script>alert(1)</script>',
  ']]> <![CDATA[ & &amp; &#60;',
  '"><img src=x onerror=alert(1)>',
  '<!ENTITY x SYSTEM "file:///etc/passwd"> &x;',
  '<?xml-stylesheet href="javascript:alert(1)"?>',
  '𝔘𝔫𝔦 \u{1F9D1}\u200D\u{1F373} \u202Eright',
];

describe('Hostile member content in feeds', () => {
  let author: BuiltMember;
  before(async () => {
    author = await buildMember(app.url, { nickname: '<b>&"\'' });
  });

  for (const extension of EXTENSIONS) {
    for (const title of TITLES) {
      it(`escapes ${JSON.stringify(title)} in title, content and tags of feed.${extension}`, async () => {
        await buildArticle(app.url, { title, content: title, tags: [title.slice(0, 30)] }, author);
        const { items } = await readFeed(app.url, '/feed', extension);
        expect(items[0]?.title).to.equal(title);
        expect(items[0]?.tags).to.deep.equal([title.slice(0, 30).trim().toLowerCase()]);
        expect(items[0]?.author).to.equal('<b>&"\'');
        expect(items[0]?.html).to.not.match(/<script|<img[^>]*onerror|<\?|<!\[/i);
      });
    }
  }

  it('omits characters that XML does not allow, and keeps JSON valid', async () => {
    const content = 'a\u0001b\u000bc\ufffed\uffffe\u001bf\u0085g';
    await buildArticle(app.url, { content }, author);
    for (const extension of ['xml', 'atom'] as const) {
      const [item] = (await readFeed(app.url, '/feed', extension)).items;
      expect(item?.html).to.equal('<p>abcdef\u0085g</p>\n');
    }
    await readFeed(app.url, '/feed', 'json');
  });
});
