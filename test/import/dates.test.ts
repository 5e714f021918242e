/** Dates in the texts of a source, on a machine in another time zone. */
import { expect } from 'chai';
import { dateOf } from '../../src/import/dates.js';

const { TZ } = process.env;

describe('A date of a source', () => {
  before(() => {
    process.env.TZ = 'Asia/Seoul';
  });
  after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  const DATES: [value: unknown, date: string | null][] = [
    ['2024-01-02T03:04:05', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02T03:04:05.678Z', '2024-01-02T03:04:05.678Z'],
    ['2024-01-02T03:04:05+09:00', '2024-01-01T18:04:05.000Z'],
    ['2024-01-02', '2024-01-02T00:00:00.000Z'],
    ['Tue, 02 Jan 2024 03:04:05 +0000', '2024-01-02T03:04:05.000Z'],
    ['Tue Jan 02 2024 03:04:05 GMT+0900 (Korean Standard Time)', '2024-01-01T18:04:05.000Z'],
    ['January 2, 2024', '2024-01-02T00:00:00.000Z'],
    [1_704_164_645_678, '2024-01-02T03:04:05.678Z'],
    ['0000-00-00 00:00:00', null],
    ['Wed, 30 Nov -0001 00:00:00 +0000', null],
    ['2024-02-30 00:00:00', null],
    ['2024-01-02 25:00:00', null],
    ['soon', null],
    ['', null],
    [8e15 + 1e15, null],
    [-8e15, null],
    [null, null],
    [{}, null],
  ];
  for (const [value, date] of DATES) {
    it(`${JSON.stringify(value)} is ${date ?? 'none'}, whatever the time zone of the machine is`, () => {
      expect(dateOf(value)?.toISOString() ?? null).to.equal(date);
    });
  }
});
