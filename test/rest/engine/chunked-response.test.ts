/** Chunked responses to clients that do not read. */
import { createServer, get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import { respondInChunks } from '../../../src/rest/engine/chunked-response.js';
import { readableLog } from '../../support/log.js';
import { listen } from '../../support/server.js';

describe('A chunked response', () => {
  it('is aborted, together with its producer, if the client does not read', async () => {
    const { log, lines } = readableLog();
    const koa = new Koa();
    let closed = false;
    const made = new Promise<number>((resolve) => {
      koa.use((ctx) =>
        respondInChunks(
          ctx,
          { log, language: 'en', requestId: 'r' },
          async (sendChunk) => {
            ctx.res.once('close', () => {
              closed = true;
            });
            let chunks = 0;
            for (; !closed; chunks++) await sendChunk('x'.repeat(100_000));
            resolve(chunks);
            return '{}';
          },
          100,
        ),
      );
    });
    const server = createServer(koa.callback());
    const port = await listen(server);
    const reader: IncomingMessage = await new Promise((resolve) => get({ port, agent: false }, resolve));
    // The client does not read: the socket buffers fill up, then the write timeout of 100 ms expires.
    expect(await made).to.be.above(1);
    reader.on('error', () => {}).destroy();
    await new Promise((resolve) => server.close(resolve));
    expect(lines).to.deep.equal([]);
  });
});
