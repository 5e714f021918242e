/** Strict-Transport-Security. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';

const hstsOf = async (url: string) => (await fetch(`${url}/healthz`)).headers.get('Strict-Transport-Security');

describe('Strict-Transport-Security', () => {
  const plain = useApp();
  const secure = useApp({ PUBLIC_URL: 'https://journal.example.org' });
  const off = useApp({ PUBLIC_URL: 'https://journal.example.org', HSTS_MAX_AGE: '0' });

  it('is sent only if PUBLIC_URL is https, for HSTS_MAX_AGE, without subdomains', async () => {
    expect(await hstsOf(plain.url)).to.equal(null);
    expect(await hstsOf(secure.url)).to.equal('max-age=31536000');
    expect(await hstsOf(off.url)).to.equal(null);
  });
});
