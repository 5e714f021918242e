/** Look-ups of host names at a name server of the test, which answers in every way. */
import { expect } from 'chai';
import { download } from '../../src/import/download.js';
import { boundedFetch } from '../../src/platform/http/bounded-fetch.js';
import { addressesOf, awaitNameServer } from '../../src/platform/name-lookup.js';
import { openMailer } from '../../src/services/mail/transport.js';
import { type NameServer, useNameServer } from '../support/name-server.js';
import { until } from '../support/until.js';

/** Ways in which a look-up has no result. */
const SILENCES: Record<string, Partial<NameServer>> = {
  'does not respond': { answer: () => 'silent' },
  'responds to other queries': { answer: () => 'silent', isForged: true },
  'does not send the rest of a truncated response': {
    answer: (_, transport) => (transport === 'UDP' ? 'truncated' : 'silent'),
  },
};

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

  it('has the addresses of a response that is truncated, which takes more aliases than one packet has', async () => {
    names.answer = (_, transport) => (transport === 'UDP' ? 'truncated' : ['192.0.2.1', '2001:db8::1']);
    names.aliases = 300;
    expect(await addressesOf(NAME)).to.deep.equal([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    expect(names.threads).to.deep.equal([]);
  });

  it('ignores responses with the id of another query', async () => {
    names.isForged = true;
    names.answer = () => ['192.0.2.1'];
    expect(await addressesOf(NAME)).to.deep.equal([{ address: '192.0.2.1', family: 4 }]);
  });

  it('delays no other, while the response is slow', async () => {
    let respond = (_answer: string[]) => {};
    const slow = new Promise<string[]>((resolve) => {
      respond = resolve;
    });
    names.answer = (name) => (name === NAME ? slow : ['192.0.2.2']);
    const found = Array.from({ length: 50 }, () => addressesOf(NAME));
    await until(() => names.queries.length >= 100);
    expect(await addressesOf('other.example.org')).to.deep.equal([{ address: '192.0.2.2', family: 4 }]);
    respond(['192.0.2.1']);
    for (const one of await Promise.all(found)) expect(one).to.deep.equal([{ address: '192.0.2.1', family: 4 }]);
  });

  it('uses a thread only for names that the name servers do not know', async () => {
    names.answer = (name) => (name === NAME ? 3 : 2);
    expect(await codeOf(addressesOf(NAME))).to.equal('ENOTFOUND');
    expect(await codeOf(addressesOf('failing.example.org'))).to.equal('EAI_AGAIN');
    await awaitNameServer(NAME);
    expect(await codeOf(awaitNameServer('failing.example.org'))).to.equal('EAI_AGAIN');
    expect(names.threads).to.deep.equal([NAME, NAME]);
  });

  for (const [kind, setUp] of Object.entries(SILENCES))
    it(`ends with its request, without a thread, while the name server ${kind}`, async () => {
      Object.assign(names, setUp);
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
