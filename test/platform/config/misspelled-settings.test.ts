/** Names in the environment that resemble a setting. */
import { expect } from 'chai';
import { misspelledSettings } from '../../../src/platform/config/misspelled-settings.js';

describe('Misspelled settings', () => {
  it('are reported with the setting that was probably meant', () => {
    const meant = {
      CORS_ORIGIN: 'CORS_ORIGINS',
      DATABASE_URI: 'DATABASE_URL',
      LOGLEVEL: 'LOG_LEVEL',
      ACCESS_TOKEN_TTLS: 'ACCESS_TOKEN_TTL',
      SMTP_ULR: 'SMTP_URL',
      DATABASE_ULR: 'DATABASE_URL',
      MAIL_FORM: 'MAIL_FROM',
      PROT: 'PORT',
      HSOT: 'HOST',
    };
    expect(misspelledSettings({ ...meant, TRUST_PROXIES: 'x' })).to.deep.equal(
      Object.entries(meant).map(([name, one]) => `${name} is not a setting and has no effect: did you mean ${one}?`),
    );
  });

  it('are neither settings nor the variables of other programs', () => {
    const others = [
      'HOME',
      'POST',
      'SHOT',
      'HOSTS',
      'MAIL',
      'LANGUAGE',
      'LOGNAME',
      'HOSTNAME',
      'PATH',
      'PGHOST',
      'PORTS',
      'LANG',
      'NODE_ENV',
      'OTEL_TRACES_SAMPLER',
      'SHLVL',
    ];
    const known = { CORS_ORIGINS: 'x', OAUTH_MINE_CLIENT_ID: 'x', AI_MODEL: 'x' };
    expect(misspelledSettings({ ...known, ...Object.fromEntries(others.map((name) => [name, 'x'])) })).to.deep.equal(
      [],
    );
  });
});
