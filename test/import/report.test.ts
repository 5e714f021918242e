/** The memory of an import's report, and of what it keeps until the end. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { note, OldAddresses, Report } from '../../src/import/report.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;

/** Parts of a text that is read for them only, as a source reads its texts. */
const partOf = (index: number, name: string) => `${index} ${name} `.repeat(MIB / 32).slice(100, 160);

function heapAfter(add: (index: number) => void): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 200; index++) add(index);
  collect();
  return process.memoryUsage().heapUsed - before;
}

describe('The report of an import', () => {
  it('keeps parts of texts without the texts', () => {
    const report = new Report();
    const used = heapAfter((index) => {
      const place = `file ${index}`;
      report.addItem(place, 'created', partOf(index, 'title'));
      report.addItem(partOf(index, 'place'), 'skipped');
      report.addNotes([note('reduced', 'embedded pages', partOf(index, 'address'))], place);
    });
    expect(report.toJSON().items).to.have.lengthOf(400);
    expect(used).to.be.below(20 * MIB);
  });

  it('has the addresses of articles without their texts', () => {
    const addresses = new OldAddresses();
    const used = heapAfter((index) => {
      addresses.add(`https://a.test/${index}#`.concat(partOf(index, 'path')), partOf(index, 'key'));
    });
    expect(addresses.all()).to.have.lengthOf(200);
    expect(used).to.be.below(20 * MIB);
  });

  it('has no control characters of the source, which a terminal would execute', () => {
    const report = new Report();
    report.addNotes([note('skipped', 'posts \u001b[2J', 'post "a\n9  b\u009b"')], 'post');
    expect(`${report}`).to.include('1  posts  [2J\n').and.include(' post "a 9  b "\n');
  });

  it('lists items up to a length, and counts the others', () => {
    const report = new Report();
    const long = 'x'.repeat(300);
    for (let index = 0; index < 60_000; index++) {
      report.addItem(`${index}`, 'created', long);
      report.addNotes(
        Array.from({ length: 5 }, () => note('reduced', 'embedded pages', `${index} ${long}`)),
        `${index}`,
      );
    }
    const { items, itemsNotListed, results } = report.toJSON();
    expect(items.length).to.be.within(30_000, 40_000);
    expect([items.length + itemsNotListed, results.created]).to.deep.equal([60_000, 60_000]);
  });
});
