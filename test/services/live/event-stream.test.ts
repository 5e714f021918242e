/** An ended event stream: nothing more is written to it. */
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { EventStream } from '../../../src/services/live/event-stream.js';
import { listen } from '../../support/server.js';
import { until } from '../../support/until.js';

const VIEWER = {
  memberId: 1,
  credentialId: 'a',
  scopes: null,
  role: 'MEMBER' as const,
  suspension: null,
  expiresAt: 0,
};
const ENDING = ': The session of this access token has ended.\n\n';

describe('An event stream', () => {
  const server = createServer();
  let response: ServerResponse;
  let stream: EventStream;
  let reader: IncomingMessage;

  beforeEach(async () => {
    const port = await listen(server);
    server.removeAllListeners('request').on('request', (_, received) => {
      response = received;
      stream = new EventStream(response, VIEWER, 'en');
      stream.open();
    });
    reader = await new Promise((resolve) => get({ port, agent: false }, resolve));
  });
  afterEach(async () => {
    reader.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('writes no event, heartbeat or second end message after its end', async () => {
    stream.close('SESSION_ENDED');
    await stream.send('notification', '1', '{}');
    stream.heartbeat();
    let text = '';
    for await (const chunk of reader.setEncoding('utf8')) text += chunk;
    expect(text).to.equal(`retry: 2000\n\n${ENDING}`);
  });

  it('is destroyed at the second end when its client has not read the first', async () => {
    // More than the socket buffers of both sides hold.
    response.write('x'.repeat(20_000_000));
    stream.close('SESSION_ENDED');
    expect(response.destroyed).to.equal(false);
    stream.close('TOKEN_EXPIRED');
    await until(() => response.destroyed);
  });
});
