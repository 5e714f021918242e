/** URLs with UTF-8 that is not percent-encoded, which curl sends in queries. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { openRaw, sendRaw } from '../../support/raw.js';

const app = useApp();
before(() => buildArticle(app.url, { title: '커피 한 잔', content: 'The first', tags: ['커피'] }));

/** A request in bytes. @param url a text in UTF-8, or bytes */
function request(method: string, url: string | Buffer, lines: string[] = [], body = ''): Buffer {
  const head = ['', 'Host: x', ...lines, '', body].join('\r\n');
  return Buffer.concat([Buffer.from(`${method} `), Buffer.from(url), Buffer.from(` HTTP/1.1${head}`)]);
}

/** The status and the body of the last response. */
function parse(response: string): [status: number, body: string] {
  const [head = '', body = ''] = response.slice(response.lastIndexOf('HTTP/1.1 ')).split(/\r\n\r\n(.*)/s);
  return [Number(head.split(' ')[1]), Buffer.from(body, 'latin1').toString()];
}

const send = async (bytes: Buffer) => parse(await sendRaw(app.url, bytes));

describe('A URL that is not percent-encoded', () => {
  it('is accepted in queries and paths of GET and HEAD, like the encoded one', async () => {
    const encoded = await fetch(`${app.url}/api/articles?keyword=${encodeURIComponent('커피')}`);
    const expected = await encoded.text();
    expect(expected).to.include('커피 한 잔');
    expect(await send(request('GET', '/api/articles?keyword=커피'))).to.deep.equal([200, expected]);
    expect(await send(request('HEAD', '/api/articles?keyword=커피'))).to.deep.equal([200, '']);
    expect((await send(request('GET', '/tags/커피/feed.json')))[1]).to.include('커피 한 잔');
    const query = '{articles(filter:{keyword:"커피"}){contents{title}}}';
    expect((await send(request('GET', `/graphql?query=${query}`)))[1]).to.include('커피 한 잔');
  });

  it('is accepted on a connection that was used before, and its response closes the connection', async () => {
    const connection = await openRaw(app.url);
    connection.socket.write(request('GET', '/healthz'));
    await connection.until(/"ok"/);
    connection.socket.write(request('GET', '/api/articles?keyword=커피'));
    const { received } = await connection.closed;
    expect(parse(received)[0]).to.equal(200);
    expect(received).to.match(/Connection: close/);
  });

  it('has the same limits as other requests', async () => {
    expect((await send(request('GET', `/api/articles?keyword=${'커'.repeat(2_000)}`)))[0]).to.equal(431);
    const lines = Array.from({ length: 101 }, (_, number) => `X-${number}: 1`);
    expect((await send(request('GET', '/api/articles?keyword=커피', lines)))[0]).to.equal(431);
    expect(parse(await sendRaw(app.url, Buffer.from('GET /?커피 HTTP/1.1\r\n\r\n')))[0]).to.equal(400);
    expect((await send(request('GET', '/nothing?커피')))[0]).to.equal(404);
  });

  it('is 400 if it is not UTF-8, encoded or not', async () => {
    for (const bytes of ['\xff\xfe', '\xed\xa0\x80', '\xec\xbb']) {
      const raw = Buffer.from(`/api/articles?keyword=${bytes}`, 'latin1');
      const encoded = [...bytes].map((byte) => `%${byte.charCodeAt(0).toString(16)}`).join('');
      for (const url of [raw, `/api/articles?keyword=${encoded}`, `/graphql?query=${encoded}`]) {
        const [status, body] = await send(request('GET', url, ['Connection: close']));
        expect(status, String(url)).to.equal(400);
        expect(body, String(url)).to.include('"BAD_REQUEST"').and.include('neither ASCII nor UTF-8');
      }
    }
    const literal = await fetch(`${app.url}/api/articles?keyword=100%`);
    expect(literal.status).to.equal(200);
  });

  it('is 400 with a request for percent-encoding in requests with a body, and pipelined ones', async () => {
    const body = request('POST', '/api/auth/login?커피', ['Content-Type: application/json', 'Content-Length: 2'], '{}');
    const pipelined = Buffer.concat([request('GET', '/api/articles?keyword=커피'), request('GET', '/healthz')]);
    for (const bytes of [body, pipelined]) {
      const [status, text] = await send(bytes);
      expect([status, text.includes('percent-encode')]).to.deep.equal([400, true]);
    }
  });

  it('is not repaired where the packet begins in another request', async () => {
    const connection = await openRaw(app.url);
    // The beginning of the second packet is a header of the first request.
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Header: ');
    connection.socket.write(Buffer.concat([request('GET', '/healthz?a'), request('GET', '/api/tags?커피')]));
    const { received } = await connection.closed;
    expect(parse(received)[0]).to.equal(400);
    expect(received).to.not.include('"contents"');
  });

  it('has the address of its client', async () => {
    // Only for clients on the same machine.
    const bytes = request('GET', '/metrics?커피').toString('latin1').replace('Host: x', 'Host: localhost');
    expect((await send(Buffer.from(bytes, 'latin1')))[0]).to.equal(200);
  });
});
