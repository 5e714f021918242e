/** The statements with which the stamps of several requests are read. */
import { expect } from 'chai';
import { STAMP_QUERIES, type StampKind } from '../../src/models/stamp.js';
import { StampReader } from '../../src/models/stamp-reader.js';
import type { Database } from '../../src/platform/database/pool.js';
import type { PreparedText } from '../../src/platform/database/statement.js';

const KINDS = Object.keys(STAMP_QUERIES) as StampKind[];

describe('A statement that reads stamps', () => {
  it('has a name of its own for each combination of kinds, within the length that PostgreSQL compares', async () => {
    const sent: PreparedText[] = [];
    const query = async (statement: PreparedText) => {
      sent.push(statement);
      return [];
    };
    const reader = new StampReader({ query } as unknown as Database);
    const combinations = 2 ** KINDS.length - 1;
    for (let chosen = 1; chosen <= combinations; chosen++) {
      await reader.read(KINDS.filter((_, bit) => chosen & (1 << bit)).map((kind) => ({ kind, id: 0 })));
    }
    expect(sent).to.have.lengthOf(combinations);
    expect(new Set(sent.map(({ name }) => name)).size).to.equal(combinations);
    expect(new Set(sent.map(({ text }) => text)).size).to.equal(combinations);
    expect(Math.max(...sent.map(({ name }) => name.length))).to.be.at.most(63);
  });
});
