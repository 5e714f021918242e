/** What is used of Node besides its documented interface: these tests fail where an upgrade changes it. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { acceptedBytes, socketOf } from '../../../src/platform/http/node-internals.js';
import { listen } from '../../support/server.js';

const BYTES = 64 * 1024 * 1024;

describe('Of Node', () => {
  it('a listening server has a socket, which receives each connection; other servers have none', async () => {
    const server = createServer((socket) => socket.end());
    expect(socketOf(server)).to.equal(null);
    const port = await listen(server);
    const socket = socketOf(server);
    const { onconnection } = socket ?? {};
    if (!socket || !onconnection) throw new Error('The socket does not receive connections');
    let received = 0;
    socket.onconnection = (...connection) => {
      received++;
      onconnection.apply(socket, connection);
    };
    await once(connect(port, '127.0.0.1').resume(), 'close');
    expect(received).to.equal(1);
    socket.close();
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');
    server.close();
  });

  it('a socket has the number of bytes of a write that the kernel has accepted before the write ends', async () => {
    const server = createServer();
    const client = connect(await listen(server), '127.0.0.1').pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    expect(acceptedBytes(socket)).to.equal(0);
    const written = new Promise((resolve) => socket.write(Buffer.alloc(BYTES), resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const before = acceptedBytes(socket);
    expect(before).to.be.within(1, BYTES - 1);
    client.resume();
    await written;
    expect(acceptedBytes(socket)).to.equal(BYTES);
    client.destroy();
    socket.destroy();
    server.close();
  });
});
