/** Settings of passkeys: the RP ID, the origins within it, and their defaults. */
import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../../src/platform/config/index.js';

const relyingParty = (rpId?: string, origins?: string, publicUrl?: string) =>
  loadConfig({ WEBAUTHN_RP_ID: rpId, WEBAUTHN_ORIGINS: origins, PUBLIC_URL: publicUrl }).relyingParty;

describe('WEBAUTHN_RP_ID and WEBAUTHN_ORIGINS', () => {
  it('default to the host and the origin of PUBLIC_URL, also where browsers do not offer passkeys', () => {
    expect(relyingParty()).to.deep.equal({ rpId: 'localhost', origins: ['http://localhost:4000'] });
    const behindPath = relyingParty(undefined, undefined, 'https://example.org/journal/');
    expect(behindPath).to.deep.equal({ rpId: 'example.org', origins: ['https://example.org'] });
    const local = relyingParty(undefined, undefined, 'http://192.168.1.5:4000');
    expect(local).to.deep.equal({ rpId: '192.168.1.5', origins: ['http://192.168.1.5:4000'] });
  });

  it('can be a parent domain, several origins and Android apps', () => {
    const app = `android:apk-key-hash:${'a'.repeat(43)}`;
    expect(relyingParty('example.org', `https://example.org, https://www.example.org:8443,${app}`)).to.deep.equal({
      rpId: 'example.org',
      origins: ['https://example.org', 'https://www.example.org:8443', app],
    });
    expect(relyingParty('localhost', 'http://localhost:3000').origins).to.deep.equal(['http://localhost:3000']);
    expect(relyingParty('example.org', undefined, 'https://api.example.org').origins).to.deep.equal([
      'https://api.example.org',
    ]);
  });

  it('stop the start if an origin is not within the RP ID, has no https, or is not an origin', () => {
    const cases: [rpId: string | undefined, origins: string | undefined, publicUrl: string | undefined][] = [
      ['example.org', 'https://badexample.org', undefined],
      ['www.example.org', 'https://example.org', undefined],
      ['example.org', undefined, undefined],
      ['example.org', undefined, 'http://example.org'],
      [undefined, 'https://www.example.org', 'https://api.example.org'],
      ['example.org', 'http://example.org', undefined],
      ['example.org', 'https://example.org/', undefined],
      ['example.org', 'https://example.org,', undefined],
      ['localhost', 'https://localhost.example.org', undefined],
      ['127.0.0.1', 'https://127.0.0.1', undefined],
      ['https://example.org', 'https://example.org', undefined],
      ['org', 'https://example.org', undefined],
      ['Example.org', 'https://example.org', undefined],
      ['example.org', 'android:apk-key-hash:short', undefined],
    ];
    for (const [rpId, origins, publicUrl] of cases) {
      const load = () => relyingParty(rpId, origins, publicUrl);
      expect(load, `${rpId} ${origins} ${publicUrl}`).to.throw(ConfigError, /^WEBAUTHN_(RP_ID|ORIGINS) must be /);
    }
    expect(() => relyingParty('example.org', 'https://badexample.org')).to.throw(
      'https://badexample.org does not match example.org',
    );
  });

  it('reserve the name PASSKEY, which would be ambiguous in the audit trail', () => {
    expect(() => loadConfig({ OAUTH_PASSKEY_CLIENT_ID: 'x' })).to.throw(
      'PASSKEY cannot be the name of a login provider.',
    );
  });
});
