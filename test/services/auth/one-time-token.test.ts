/** One-time tokens: their derivation from an id and a secret. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createOneTimeToken, tokenOf } from '../../../src/services/auth/one-time-token.js';
import { hashToken } from '../../../src/services/auth/token.js';

const SECRET = 'a secret of the tests, long enough for HS256';
const OTHER = 'another secret of the tests, long enough';

describe('A one-time token', () => {
  it('has 256 bits in base64url, and is different for each id, purpose and secret', () => {
    const id = randomUUID();
    const tokens = [
      createOneTimeToken(SECRET, 'reset', id).token,
      createOneTimeToken(SECRET, 'confirm', id).token,
      createOneTimeToken(SECRET, 'reset').token,
      createOneTimeToken(OTHER, 'reset', id).token,
    ];
    for (const token of tokens) expect(token).to.match(/^[\w-]{43}$/);
    expect(new Set(tokens).size).to.equal(4);
  });

  it('is derived again from its reference, also with the previous secret', () => {
    const { token, hash, reference } = createOneTimeToken(SECRET, 'reset');
    expect(hash).to.deep.equal(hashToken(token));
    expect(JSON.stringify(reference)).not.to.include(token);
    const stored = JSON.parse(JSON.stringify(reference));
    expect(tokenOf([SECRET], stored)).to.equal(token);
    expect(tokenOf([OTHER, SECRET], stored)).to.equal(token);
    expect(tokenOf([OTHER], stored)).to.equal(null);
  });
});
