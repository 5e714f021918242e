/** Settings of email: forms of SMTP_URL, MAIL_FROM and ACCOUNT_URL. */
import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../../src/platform/config/index.js';

const FROM = 'no-reply@example.org';

function mailOf(SMTP_URL: string, MAIL_FROM = FROM) {
  return loadConfig({ SMTP_URL, MAIL_FROM }).mail;
}

describe('The settings of email', () => {
  it('require TLS except on loopback addresses', () => {
    const expected = {
      'smtp://mail.example.org': ['mail.example.org', 587, 'required'],
      'smtp://mail.example.org:2525?tls=off': ['mail.example.org', 2525, 'off'],
      'smtps://mail.example.org/': ['mail.example.org', 465, 'implicit'],
      'smtp://localhost:25': ['localhost', 25, 'off'],
      'smtp://LocalHost:25': ['LocalHost', 25, 'off'],
      'smtp://[::1]:25': ['::1', 25, 'off'],
      'smtp://127.0.0.1?tls=required': ['127.0.0.1', 587, 'required'],
    };
    for (const [url, [host, port, tls]] of Object.entries(expected))
      expect(mailOf(url)?.smtp, url).to.deep.equal({ host, port, tls, login: null });
  });

  it('decode the user and the password', () => {
    const login = { user: 'me@example.org', password: 'p:ss/wörd@' };
    const [user, password] = Object.values(login).map(encodeURIComponent);
    expect(mailOf(`smtps://${user}:${password}@mail.example.org`)?.smtp.login).to.deep.equal(login);
  });

  it('reject other URLs without showing them', () => {
    const wrong = [
      'http://a.example.org',
      'smtp://',
      'smtp:a.example.org',
      'smtp://a/path',
      'smtp://user@a',
      'smtp://a?tls=maybe',
    ];
    const alsoWrong = [
      'smtp://a?pool=true',
      'smtp://a?tls=off&tls=off',
      'smtps://a?tls=off',
      'smtp://a#x',
      'smtp://%E0%A4%A:b@a',
      'hushhush',
    ];
    for (const url of [...wrong, ...alsoWrong])
      expect(() => mailOf(url), url).to.throw(
        ConfigError,
        /^SMTP_URL must be a URL such as .*, not the given value \(hidden\)\.$/,
      );
  });

  it('read the sender with and without a name', () => {
    const from = (text: string) => mailOf('smtp://a', text)?.from;
    expect(from(FROM)).to.deep.equal({ name: '', address: FROM });
    expect(from(`Owls & Co <${FROM}>`)).to.deep.equal({ name: 'Owls & Co', address: FROM });
    expect(from(`"Owls, Inc." <${FROM}>`)).to.deep.equal({ name: 'Owls, Inc.', address: FROM });
    for (const text of ['nobody', 'a@', '@b', 'a b@example.org', `${FROM}, ${FROM}`, `x\r\nBcc: <${FROM}>`, `<${FROM}`])
      expect(() => from(text), text).to.throw(ConfigError, /^MAIL_FROM must be an address/);
  });

  it('require a sender with a server', () => {
    expect(() => mailOf('smtp://a', '')).to.throw(ConfigError, 'MAIL_FROM must be set, since SMTP_URL is set.');
    expect(loadConfig({ MAIL_FROM: FROM }).mail).to.equal(null);
  });

  it('read the page for links', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://example.org/' }).accountUrl).to.equal('https://example.org/account');
    expect(loadConfig({ ACCOUNT_URL: 'https://example.org/me/' }).accountUrl).to.equal('https://example.org/me');
    for (const url of ['example.org', 'https://example.org/?a=1', 'https://example.org/#a', 'ftp://example.org'])
      expect(() => loadConfig({ ACCOUNT_URL: url }), url).to.throw(ConfigError, /^ACCOUNT_URL must be/);
  });
});
