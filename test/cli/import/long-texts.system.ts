/** Exports of WordPress with more characters than the import keeps. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { readExport } from '../../../src/import/sources/wordpress/reader.js';
import { FileError } from '../../../src/platform/errors.js';
import { comment, FOOT, HEAD, item } from '../../support/wordpress.js';

const LONG = 'x'.repeat(15 * 1024 * 1024);

/** An export whose item has this XML. */
const exportWith = (parts: () => Iterable<string>) => ({
  open: async () =>
    Readable.from(
      (function* () {
        const [before = '', after = ''] = item(1, { xml: '@' }).split('@');
        yield Buffer.from(HEAD + before);
        for (const part of parts()) yield Buffer.from(part);
        yield Buffer.from(after + FOOT);
      })(),
    ),
});

describe('An export of WordPress with long texts', () => {
  it('keeps at most 64 Mi characters of comments of a post, and counts the others', async () => {
    const file = exportWith(function* () {
      for (let id = 1; id <= 5; id++) yield comment(id, { content: LONG });
      yield comment(6);
    });
    const records = await Readable.from(readExport(file)).toArray();
    const { comments, lostComments } = records.find(({ kind }) => kind === 'item');
    expect(comments).to.have.lengthOf(4);
    expect(lostComments).to.deep.equal([
      { reason: 'comments beyond 100000 or 67108864 characters of an article: skipped', count: 2 },
    ]);
  });

  it('ends at an item with more than 48 Mi characters', async () => {
    const file = exportWith(function* () {
      for (let count = 0; count < 4; count++) yield `<category domain="post_tag">${LONG}</category>`;
    });
    const error = await Readable.from(readExport(file))
      .toArray()
      .catch((failed: Error) => failed);
    expect(error).to.be.instanceOf(FileError);
    expect((error as Error).message).to.equal('the texts of <item> are longer than 50331648 characters');
  });
});
