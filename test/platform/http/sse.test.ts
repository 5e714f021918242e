/** Backpressure of Server-Sent Events: they are written no faster than the client reads. */
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { STREAM_HEADERS, writeEvent } from '../../../src/platform/http/sse.js';
import { listen } from '../../support/server.js';
import { until } from '../../support/until.js';

const EVENT = JSON.stringify('x'.repeat(100_000));
const EVENTS = 400;

describe('Server-Sent Events', () => {
  const server = createServer();
  let response: ServerResponse;
  let reader: IncomingMessage;
  let written: number;
  let isOver: boolean;

  beforeEach(async () => {
    [written, isOver] = [0, false];
    const port = await listen(server);
    server.removeAllListeners('request').on('request', async (_, received) => {
      response = received;
      response.writeHead(200, STREAM_HEADERS);
      for (; written < EVENTS; written++) await writeEvent(response, { event: 'delta', data: EVENT });
      response.end();
      isOver = true;
    });
    reader = await new Promise((resolve) => get({ port, agent: false }, resolve));
    // The client does not read, so the socket buffers of both ends fill up.
    await until(() => response.writableNeedDrain);
  });
  afterEach(async () => {
    reader.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('wait for a client that does not read, with at most one buffered, and all arrive later', async () => {
    expect(written).to.be.below(EVENTS);
    expect(response.writableLength).to.be.below(2 * EVENT.length + response.writableHighWaterMark);
    let text = '';
    for await (const chunk of reader.setEncoding('utf8')) text += chunk;
    expect(text).to.equal(`event: delta\ndata: ${EVENT}\n\n`.repeat(EVENTS));
  });

  it('stop waiting when the client disconnects', async () => {
    reader.destroy();
    await until(() => isOver);
    expect(written).to.equal(EVENTS);
  });
});
