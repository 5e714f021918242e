/** The limit of emails to one address that unauthenticated requests cause. */
import { expect } from 'chai';
import { countRequestedMail } from '../../../src/services/limits/mails.js';
import { useApp } from '../../support/app.js';

describe('Requested emails', () => {
  const app = useApp();

  it('are 3 in an hour to one address, in any case of its letters', async () => {
    const request = (address: string) => countRequestedMail(app.services, address);
    const same = ['a@example.org', 'A@example.org', 'a@EXAMPLE.org', 'a@example.org'];
    const allowed: boolean[] = [];
    for (const address of same) allowed.push(await request(address));
    expect(allowed).to.deep.equal([true, true, true, false]);
    expect(await request('b@example.org')).to.equal(true);
  });
});
