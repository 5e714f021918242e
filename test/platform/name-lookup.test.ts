/** Look-ups of host names at a name server of the test, which answers in every way. */
import { expect } from 'chai';
import { download } from '../../src/import/download.js';
import { boundedFetch } from '../../src/platform/http/bounded-fetch.js';
import { addressesOf, awaitNameServer } from '../../src/platform/name-lookup.js';
import { openMailer } from '../../src/services/mail/transport.js';
import { useNameServer } from '../support/name-server.js';
import { until } from '../support/until.js';

const codeOf = (work: Promise<unknown>) => work.then(String, ({ code }) => code);

describe('The look-up of a host name', () => {
  const names = useNameServer();
  const NAME = 'hooks.example.org';

  it('is of the hosts file first, as of the system', async () => {
    expect(await addressesOf('LocalHost')).to.deep.include({ address: '127.0.0.1', family: 4 });
    await awaitNameServer('[::1]');
    expect([names.queries, names.threads]).to.deep.equal([[], []]);
  });

  it('has the addresses of both families, also after many aliases', async () => {
    names.answer = () => ['192.0.2.1', '192.0.2.2', '2001:db8::1'];
    names.aliases = 30;
    expect(await addressesOf(NAME)).to.deep.equal([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    names.answer = () => ['2001:db8::1'];
    expect(await addressesOf(NAME)).to.deep.equal([{ address: '2001:db8::1', family: 6 }]);
  });

  it('uses a thread only for names that the name servers do not know', async () => {
    names.answer = (name) => (name === NAME ? 3 : 2);
    expect(await codeOf(addressesOf(NAME))).to.equal('ENOTFOUND');
    expect(await codeOf(addressesOf('failing.example.org'))).to.equal('EAI_AGAIN');
    await awaitNameServer(NAME);
    expect(await codeOf(awaitNameServer('failing.example.org'))).to.equal('EAI_AGAIN');
    expect(names.threads).to.deep.equal([NAME, NAME]);
  });

  it('ends with its request, without a thread, while the name server does not respond', async () => {
    names.answer = () => 'silent';
    const mailer = await openMailer({
      smtp: { host: 'smtp.example.org', port: 25, tls: 'off', login: null },
      from: { name: '', address: 'journal@example.org' },
    });
    const mail = { messageId: 'x', to: 'reader@example.org', subject: '', text: '', html: '', unsubscribeUrl: null };
    const requests: [host: string, send: (signal: AbortSignal) => Promise<unknown>][] = [
      ['pictures.example.org', (signal) => download(new URL('http://pictures.example.org/'), { signal })],
      ['model.example.org', (signal) => boundedFetch(1)('http://model.example.org/', { signal })],
      ['smtp.example.org', (signal) => mailer.send(mail, signal)],
    ];
    for (const [host, send] of requests) {
      const controller = new AbortController();
      const sent = send(controller.signal).catch((error) => error);
      await until(() => names.queries.includes(host));
      controller.abort();
      expect(await sent, host).to.equal(controller.signal.reason);
    }
    expect(names.threads).to.deep.equal([]);
  });
});
