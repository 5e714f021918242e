/** Feeds stay well-formed for any text. */
import { expect } from 'chai';
import fc from 'fast-check';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember } from '../support/build.js';
import { EXTENSIONS, readFeed } from '../support/feeds.js';
import { casesOf } from '../support/tier.js';

const CASES = casesOf('FEED_CASES', 5, 30);
const SEED = Number(process.env.FEED_SEED ?? 20_261_123);
const app = useApp();

const TEXT = fc.string({ unit: 'binary' });
// The first value takes seconds, in which the event loop is blocked: open connections to the service would be closed as idle.
fc.sample(TEXT, 1);

describe(`Feeds of ${CASES} random articles (seed ${SEED})`, () => {
  it('are well-formed, with unchanged titles', async function () {
    this.timeout(120_000);
    const author = await buildMember(app.url);
    // Control characters are rejected in a title.
    const line = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 60 })
      .map((text) => text.replace(/\p{C}/gu, '').trim())
      .filter((text) => /^\P{M}/u.test(text));
    const markup = fc.constantFrom('<', '>', '&', '"', "'", ']]>', '<![CDATA[', '<!--', '-->', '\\', '`', '\n');
    const content = fc.array(fc.oneof(markup, TEXT), { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(line, content, async (title, parts) => {
      const text = `x${parts.join('').replaceAll('\0', '').toWellFormed()}`;
      await buildArticle(app.url, { title, content: text }, author);
      for (const extension of EXTENSIONS) {
        const [item] = (await readFeed(app.url, '/feed', extension)).items;
        expect(item?.title).to.equal(title.normalize('NFC').trim());
      }
    });
    await fc.assert(property, { numRuns: CASES, seed: SEED, includeErrorInReport: true });
  });
});
