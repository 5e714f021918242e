/** Names in the environment that resemble a setting. */
import { expect } from 'chai';
import { misspelledSettings } from '../../src/config/near-names.js';

describe('Misspelled settings', () => {
  it('are reported with the setting that was probably meant', () => {
    const env = { CORS_ORIGIN: 'x', DATABASE_URI: 'x', LOGLEVEL: 'x', ACCESS_TOKEN_TTLS: 'x', TRUST_PROXIES: 'x' };
    const meant = ['CORS_ORIGINS', 'DATABASE_URL', 'LOG_LEVEL', 'ACCESS_TOKEN_TTL'];
    const names = Object.keys(env);
    expect(misspelledSettings(env)).to.deep.equal(
      meant.map((name, index) => `${names[index]} is not a setting and has no effect: did you mean ${name}?`),
    );
  });

  it('are neither settings nor the variables of other programs', () => {
    const others = ['HOME', 'HOSTNAME', 'PATH', 'PGHOST', 'PORTS', 'LANG', 'NODE_ENV', 'OTEL_TRACES_SAMPLER', 'SHLVL'];
    const known = { CORS_ORIGINS: 'x', OAUTH_MINE_CLIENT_ID: 'x', AI_MODEL: 'x' };
    expect(misspelledSettings({ ...known, ...Object.fromEntries(others.map((name) => [name, 'x'])) })).to.deep.equal(
      [],
    );
  });
});
