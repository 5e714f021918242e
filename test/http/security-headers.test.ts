/** Strict-Transport-Security, and the log entry of a rejected origin. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { readableLog } from '../support/log.js';

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

describe('A rejected preflight request', () => {
  const { log, lines } = readableLog('warn');
  const app = useApp({ CORS_ORIGINS: 'https://good.example' }, { log });

  it('is logged once for each origin, with the setting', async () => {
    for (const Origin of ['https://good.example', 'https://other.example', 'https://other.example']) {
      const headers = { Origin, 'Access-Control-Request-Method': 'POST' };
      await fetch(`${app.url}/api/articles`, { method: 'OPTIONS', headers });
    }
    expect(lines).to.have.lengthOf(1);
    expect(JSON.parse(lines[0] ?? '')).to.include({ origin: 'https://other.example' });
    expect(lines[0]).to.include('CORS_ORIGINS');
  });
});
