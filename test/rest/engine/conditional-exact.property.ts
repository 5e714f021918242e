/** A 304 is returned only if the cached copy of the client equals a new response byte for byte, after any write. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type TestApp, useApp } from '../../support/app.js';
import { buildArticle, buildComment, buildMember } from '../../support/build.js';
import { type Journal, WRITES } from '../../support/journal-writes.js';
import { buildSeries } from '../../support/series.js';
import { ageStamps, type Copy, fetchCopy, publicAddresses } from '../../support/stamps.js';
import { casesOf } from '../../support/tier.js';

/** Number of writes, one after the other: every kind at least once, or twice. */
const RUNS = casesOf('CONDITIONAL_WRITES', 1, 2) * Object.keys(WRITES).length + 6;
/** Number of conditions after each write: with one, each kind of write has the next one. */
const CONDITIONS = casesOf('CONDITIONAL_CONDITIONS', 1, 2);
/** Number of rounds of parallel writes. */
const ROUNDS = casesOf('CONDITIONAL_ROUNDS', 1, 6);
const WRITERS = 8;

async function begin(app: TestApp): Promise<{ journal: Journal; addresses: string[] }> {
  const members = await Promise.all([1, 2, 3, 4].map(() => buildMember(app.url)));
  const [keeper] = members;
  if (!keeper) throw new Error('no member');
  const articles = [];
  for (const author of members)
    articles.push(await buildArticle(app.url, { title: 'Owls', tags: ['sea'], content: 'sea' }, author));
  const [article] = articles;
  if (!article) throw new Error('no article');
  const comments: Journal['comments'] = [];
  for (const author of members) {
    const comment = await buildComment(app.url, article.id, {}, author);
    const reply = await buildComment(app.url, article.id, { parentCommentId: comment.id }, keeper);
    comments.push({ ...comment, articleId: article.id, parentId: null });
    comments.push({ ...reply, articleId: article.id, parentId: comment.id });
  }
  const commentId = comments[0]?.id ?? 0;
  const paths = publicAddresses({
    seriesId: await buildSeries(app.url, keeper, [article]),
    articleId: article.id,
    commentId,
    memberId: keeper.id,
    tag: 'sea',
    slug: 'owls',
    nickname: keeper.nickname,
  });
  return { journal: { members, articles, comments }, addresses: paths.map((path) => app.url + path) };
}

/** Uncompressed, which is cheaper; the requests with a validator accept compressed responses. */
function readAll(addresses: readonly string[]): Promise<Copy[]> {
  return Promise.all(addresses.map((address) => fetchCopy(address, { 'Accept-Encoding': 'identity' })));
}

/** Revalidates cached copies and compares each 304 with the current response. @returns the number of 304 responses */
async function revalidate(
  addresses: readonly string[],
  copies: readonly Copy[],
  current: readonly Copy[],
  condition: (copy: Copy) => Record<string, string>,
  after: string,
): Promise<number> {
  const responses = await Promise.all(
    addresses.map((address, index) => fetchCopy(address, condition(copies[index] as Copy))),
  );
  responses.forEach(({ status, body }, index) => {
    const what = `${addresses[index]} after ${after}`;
    if (status === 304) expect(copies[index]?.body, what).to.equal(current[index]?.body);
    else expect([status, body], what).to.deep.equal([current[index]?.status, current[index]?.body]);
  });
  return responses.filter(({ status }) => status === 304).length;
}

const byTag = ({ etag }: Copy): Record<string, string> => (etag === null ? {} : { 'If-None-Match': etag });
const byDate = ({ lastModified }: Copy): Record<string, string> =>
  lastModified === null ? {} : { 'If-Modified-Since': lastModified };

describe('304 Not Modified', () => {
  const app = useApp({ LIMIT_WRITES: '100000/10m' });
  const kinds = Object.keys(WRITES);
  const picker = (numbers: Iterator<number>) => {
    return <T>(from: readonly T[]): T | undefined => from[numbers.next().value % Math.max(1, from.length)];
  };

  it('is returned only for identical responses after each kind of write', async function () {
    this.timeout(300_000);
    const { journal, addresses } = await begin(app);
    const conditions = Object.entries({ 'If-None-Match': byTag, 'If-Modified-Since': byDate });
    const unchanged: Record<string, number> = {};
    const sequence = fc.array(fc.nat(1000), { minLength: 60, maxLength: 60 });
    for (const [index, [first = 0, ...others]] of fc.sample(sequence, { numRuns: RUNS, seed: 7 }).entries()) {
      const kind = kinds[index < RUNS - 6 ? index % kinds.length : first % kinds.length] ?? '';
      // Makes the timestamps older, because Last-Modified has a resolution of one second.
      await ageStamps(app.database);
      const copies = await readAll(addresses);
      await WRITES[kind]?.(app, journal, picker(others.values()));
      const current = await readAll(addresses);
      for (const [name, condition] of [...conditions, ...conditions].slice(index % 2, (index % 2) + CONDITIONS)) {
        const count = await revalidate(addresses, copies, current, condition, `${kind}, for ${name}`);
        unchanged[name] = (unchanged[name] ?? 0) + count;
      }
    }
    for (const [name] of conditions)
      expect(unchanged[name], `of those that a write did not concern, for ${name}`).to.be.above(RUNS);
  });

  it('is returned only for identical responses after parallel writes: an ETag has one body', async function () {
    this.timeout(300_000);
    const { journal, addresses } = await begin(app);
    const numbers = fc.sample(fc.nat(100_000), { numRuns: 20_000, seed: 11 }).values();
    const pick = picker(numbers);
    for (let round = 0; round < ROUNDS; round++) {
      let isWriting = true;
      const seen: Copy[][] = [];
      const readers = [1, 2].map(async () => {
        while (isWriting) seen.push(await readAll(addresses));
      });
      const writers = Array.from({ length: WRITERS }, async () => {
        for (let write = 0; write < 3; write++) await WRITES[pick(kinds) ?? '']?.(app, journal, pick);
      });
      await Promise.all(writers);
      isWriting = false;
      await Promise.all(readers);
      const now = await readAll(addresses);
      for (const copies of [...seen, now]) {
        copies.forEach(({ etag, body }, index) => {
          if (etag === null || etag !== now[index]?.etag) return;
          expect(body, `${addresses[index]} in round ${round}`).to.equal(now[index]?.body);
        });
      }
      await revalidate(addresses, now, now, byTag, `round ${round}`);
    }
  });
});
