/** Attempts against receivers that fail in every way, on this machine. Time limits are signals that the test gives. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { expect } from 'chai';
import { type AllowedHosts } from '../../../src/platform/config/addresses.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { generateSecret, openSecret, sealSecret } from '../../../src/services/webhooks/secret.js';
import { delayAfter, RESPONSE_TIMEOUT_MS, send } from '../../../src/services/webhooks/send.js';
import { ROOT } from '../../support/cli.js';
import { useNameServer } from '../../support/name-server.js';
import { closeServer } from '../../support/server.js';
import { CERTIFICATE_FILE } from '../../support/smtp.js';
import { until } from '../../support/until.js';

const allow = (hosts: string) => loadConfig({ WEBHOOK_ALLOWED_HOSTS: hosts }).webhooks.allowedHosts;

const MESSAGE = { id: 'msg_1', event: 'article.created', body: '{"type":"article.created"}', cursor: 'x' };

const attempt = (url: string, timeout?: (ms: number) => AbortSignal, allowedHosts: AllowedHosts = allow('127.0.0.1')) =>
  send({ url, secrets: [generateSecret()] }, MESSAGE, { allowedHosts, now: 0, ...(timeout && { timeout }) });

/** A receiver that sends these bytes. */
type Script = (socket: Socket) => void;

describe('An attempt to deliver a message', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const serve = async (
    script: Script,
    host = '127.0.0.1',
  ): Promise<{ url: string; port: number; connections(): number }> => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      sockets.add(socket.on('error', () => {}));
      socket.once('data', () => script(socket));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as { port: number };
    return { url: `http://${host}:${port}/`, port, connections: () => connections };
  };
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  /** Time limits end when the test says so. */
  function limits() {
    const open = new Map<number, AbortController>();
    const timeout = (ms: number) => {
      const controller = new AbortController();
      open.set(ms, controller);
      return controller.signal;
    };
    return { timeout, end: (ms: number) => open.get(ms)?.abort(), has: (ms: number) => open.has(ms) };
  }

  it('fails without a complete head of a response in 15 seconds', async () => {
    const heads = ['', 'HTTP/1.1 200 OK\r\nX: 1\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'];
    for (const head of heads) {
      const { timeout, end } = limits();
      let isReceived = false;
      const { url } = await serve((socket) => {
        socket.write(head);
        isReceived = true;
      });
      const sent = attempt(url, timeout);
      await until(() => isReceived);
      end(RESPONSE_TIMEOUT_MS);
      expect(await sent, head).to.deep.include({ status: null, error: 'TIMEOUT', isDelivered: false, response: '' });
    }
    expect(RESPONSE_TIMEOUT_MS).to.equal(15_000);
  });

  it('fails when the receiver switches to another protocol, or sends interim responses without an end', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
    const switched = await serve((socket) => void socket.write(upgrade));
    expect(await attempt(switched.url)).to.include({ status: null, error: 'NO_RESPONSE', isDelivered: false });
    for (const line of ['100 Continue', '103 Early Hints']) {
      const endless = await serve((socket) => {
        const fill = () => {
          while (!socket.destroyed && socket.write(`HTTP/1.1 ${line}\r\n\r\n`));
        };
        socket.on('drain', fill);
        fill();
      });
      const { status, error } = await attempt(endless.url);
      expect({ status, error }, line).to.deep.equal({ status: null, error: 'TOO_MANY_INTERIM_RESPONSES' });
    }
  });

  it('takes the status, and reads at most one second of an endless body', async () => {
    const { timeout, end, has } = limits();
    const { url } = await serve((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nabc'));
    const sent = attempt(url, timeout);
    await until(() => has(1_000));
    end(1_000);
    expect(await sent).to.deep.include({ status: 200, error: null, isDelivered: true });
  });

  it('reads at most 16 KB of a fast endless body', async () => {
    const { timeout } = limits();
    let written = 0;
    const { url } = await serve((socket) => {
      socket.write('HTTP/1.1 202 Accepted\r\n\r\n');
      const fill = () => {
        while (!socket.destroyed && socket.write('ab'.repeat(4_096))) written += 8_192;
      };
      socket.on('drain', fill);
      fill();
    });
    const { response, isDelivered } = await attempt(url, timeout);
    expect([isDelivered, response]).to.deep.equal([true, 'ab'.repeat(100)]);
    expect(written).to.be.below(50_000_000);
  });

  it('does not decompress what it has not asked for', async () => {
    let head = '';
    const { url } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
      const bomb = createGzip();
      bomb.pipe(socket);
      bomb.end(Buffer.alloc(10_000_000));
    });
    const { isDelivered, response } = await attempt(url);
    expect(isDelivered).to.equal(true);
    expect(response.length).to.be.at.most(200);
    const { url: other } = await serve((socket) => void socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    servers.at(-1)?.on('connection', (socket) => socket.on('data', (bytes) => (head += bytes)));
    await attempt(other);
    expect(head.toLowerCase()).to.include('accept-encoding: identity\r\n');
  });

  it('does not follow redirects', async () => {
    const target = await serve((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    for (const location of [target.url, 'http://169.254.169.254/', 'http://127.0.0.1:1/']) {
      const { url } = await serve((socket) => void socket.end(`HTTP/1.1 301 Moved\r\nLocation: ${location}\r\n\r\n`));
      expect(await attempt(url)).to.deep.include({ status: 301, error: null, isDelivered: false });
    }
    expect(target.connections()).to.equal(0);
  });

  it('fails with a code when the connection is refused or reset, or the response is not HTTP', async () => {
    const { url } = await serve((socket) => void socket.resetAndDestroy());
    expect((await attempt(url)).error).to.equal('ECONNRESET');
    const { url: other } = await serve((socket) => void socket.end('SSH-2.0\r\n'));
    expect((await attempt(other)).error).to.match(/^HPE_/);
    const { url: large } = await serve((socket) => void socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`));
    expect((await attempt(large)).error).to.equal('HPE_HEADER_OVERFLOW');
    expect((await attempt('http://127.0.0.1:1/')).error).to.equal('ECONNREFUSED');
  });

  it('reads Retry-After', async () => {
    const waits = async (value: string) => {
      const { url } = await serve(
        (socket) => void socket.end(`HTTP/1.1 429 Too Many\r\nRetry-After: ${value}\r\n\r\n`),
      );
      return (await attempt(url)).retryAfterMs;
    };
    expect(await waits('999999999')).to.equal(999_999_999_000);
    expect(await waits('120')).to.equal(120_000);
    expect(await waits('Thu, 01 Jan 1970 01:00:00 GMT')).to.equal(3_600_000);
    expect(await waits('soon')).to.equal(0);
    expect(await waits('-5')).to.equal(0);
  });

  describe('checks addresses', () => {
    const names = useNameServer();
    const PUBLIC = allow('127.0.0.2');
    const end: Script = (socket) => void socket.destroy();

    it('of IP addresses in every notation, also with the setting of others', async () => {
      const addresses = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:8.8.8.8]'];
      const others = [
        '[64:ff9b::7f00:1]',
        '[64:ff9b::808:808]',
        '[2002:7f00:1::]',
        '[fe80::1]',
        '0x7f000001',
        '2130706433',
        '0',
      ];
      for (const host of [...addresses, ...others])
        for (const scheme of ['https', 'http'])
          expect((await attempt(`${scheme}://${host}/`, undefined, PUBLIC)).error, host).to.equal(
            'ADDRESS_NOT_PERMITTED',
          );
      expect((await attempt('http://8.8.8.8/', undefined, PUBLIC)).error, 'http').to.equal('ADDRESS_NOT_PERMITTED');
      expect((await attempt('https://user:pw@8.8.8.8/', undefined, PUBLIC)).error).to.equal('ADDRESS_NOT_PERMITTED');
      expect(names.queries).to.deep.equal([]);
    });

    it('of every address of a name, and connects to the permitted ones only', async () => {
      const inner = await serve(end);
      const outer = await serve(end, '127.0.0.2');
      names.answer = () => ['127.0.0.1', '127.0.0.2', '10.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'];
      names.aliases = 20;
      const { error } = await attempt(`https://hooks.example.org:${outer.port}/`, undefined, PUBLIC);
      expect([error, outer.connections(), inner.connections()]).to.deep.equal(['ECONNRESET', 1, 0]);
      names.answer = () => ['127.0.0.1', '::1', 'fd00::1', '64:ff9b::7f00:1', '::ffff:7f00:1'];
      const none = await attempt(`https://hooks.example.org:${inner.port}/`, undefined, PUBLIC);
      expect([none.error, inner.connections()]).to.deep.equal(['ADDRESS_NOT_PERMITTED', 0]);
    });

    it('when the connection is made, so that a name cannot change its address in between', async () => {
      const inner = await serve(end);
      const outer = await serve(end, '127.0.0.2');
      // One look-up asks for both families.
      names.answer = () => [names.queries.length <= 2 ? '127.0.0.2' : '127.0.0.1'];
      const errors = [];
      for (let count = 0; count < 3; count++)
        errors.push((await attempt(`https://hooks.example.org:${outer.port}/`, undefined, PUBLIC)).error);
      expect(errors).to.deep.equal(['ECONNRESET', 'ADDRESS_NOT_PERMITTED', 'ADDRESS_NOT_PERMITTED']);
      expect([outer.connections(), inner.connections(), names.queries.length]).to.deep.equal([1, 0, 6]);
    });

    it('except of names that are permitted', async () => {
      const { port } = await serve((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
      names.answer = () => ['127.0.0.1'];
      const hosts = allow('Hooks.Internal, 10.0.0.0/8');
      expect((await attempt(`http://hooks.internal:${port}/`, undefined, hosts)).status).to.equal(200);
      expect((await attempt(`http://other.internal:${port}/`, undefined, hosts)).error).to.equal(
        'ADDRESS_NOT_PERMITTED',
      );
    });
  });

  it('requires a certificate of the name', async () => {
    const key = await readFile(new URL('test/data/smtp/key.pem', `file://${ROOT}`));
    const server = createHttpsServer({ key, cert: await readFile(CERTIFICATE_FILE) }, (_request, response) =>
      response.end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const { port } = server.address() as { port: number };
    const script = `
      const { send } = await import('${ROOT}dist/src/services/webhooks/send.js');
      const allowedHosts = { hasName: () => true, hasAddress: () => true };
      for (const host of ['localhost', '127.0.0.2']) {
        const receiver = { url: 'https://' + host + ':${port}/', secrets: ['whsec_'] };
        const { status, error } = await send(receiver, ${JSON.stringify(MESSAGE)}, { allowedHosts, now: 0 });
        console.log(status ?? error);
      }`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE };
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    expect((await run).stdout).to.equal('200\nERR_TLS_CERT_ALTNAME_INVALID\n');
    await closeServer(server);
    expect((await attempt(`https://127.0.0.1:${port}/`)).error).to.equal('ECONNREFUSED');
  }).timeout(20_000);
});

describe('The schedule of attempts', () => {
  it('has nine delays, 10 % more or less, and honors Retry-After up to 24 hours', () => {
    expect([delayAfter(1, 0, 0), delayAfter(1, 0, 0.5), delayAfter(1, 0, 1)]).to.deep.equal([4_500, 5_000, 5_500]);
    const all = Array.from({ length: 9 }, (_, index) => delayAfter(index + 1, 0, 0.5) ?? 0);
    expect(all.reduce((sum, delay) => sum + delay) / 3_600_000).to.be.within(75, 77);
    expect(delayAfter(10, 0)).to.equal(null);
    expect(delayAfter(1, 60_000, 0.5)).to.equal(60_000);
    expect(delayAfter(1, Number.POSITIVE_INFINITY, 0.5)).to.equal(24 * 3_600_000);
  });
});

describe('The secret of a webhook', () => {
  it('is read with the key that it was encrypted with, and not changed', () => {
    const secret = generateSecret();
    const sealed = sealSecret(secret, 'one');
    expect(openSecret(sealed, ['two', 'one'])).to.equal(secret);
    expect(openSecret(sealed, ['two'])).to.equal(null);
    expect(sealSecret(secret, 'one').equals(sealed)).to.equal(false);
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(openSecret(sealed, ['one'])).to.equal(null);
  });
});
