/** The table of confusable characters. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { CONFUSABLES } from '../../../src/platform/display-name/confusables.js';

describe('The table of confusable characters', () => {
  const entries = CONFUSABLES.replace(/\s+/g, ' ').trim().split('; ');

  it('has the prototypes and characters of Unicode 15.0.0', () => {
    const digest = createHash('sha256').update(entries.join('\n').replace(/;$/, '')).digest('hex');
    expect([entries.length, digest]).to.deep.equal([
      2412,
      '1ecddbee1e5c67970efc919c44c1fe970106f38afa1c66f4e47cb3d731ffd8f5',
    ]);
  });
});
