/** The end of listening: connections that wait are accepted before the socket is closed. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { closeSocket } from '../../../src/platform/http/listen.js';
import { socketOf } from '../../../src/platform/http/node-internals.js';
import { listen } from '../../support/server.js';

const WAITING = 100;

describe('A listening socket that is closed', () => {
  it('resets none of the connections that wait to be accepted, and refuses further ones', async () => {
    const server = createServer((socket) => socket.end('served'));
    const port = await listen(server);
    const sockets = Array.from({ length: WAITING }, () => connect(port, '127.0.0.1'));
    const received = Promise.all(sockets.map(textOf));
    await closeSocket(socketOf(server));
    const refused = connect(port, '127.0.0.1');
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');
    server.close();
    expect(await received).to.deep.equal(Array(WAITING).fill('served'));
  });
});

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
