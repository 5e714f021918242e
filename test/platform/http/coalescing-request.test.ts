/** Small chunks of bodies. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect } from 'chai';
import { CoalescingRequest } from '../../../src/platform/http/coalescing-request.js';

const CHUNKS = 10_000;

describe('A body in many chunks of one byte', () => {
  it('is received in few chunks', async () => {
    const chunks: Buffer[] = [];
    const server = createServer({ IncomingMessage: CoalescingRequest }, (request) => {
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => request.socket.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(`${'1\r\nx\r\n'.repeat(CHUNKS)}0\r\n\r\n`);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    server.close();
    expect(Buffer.concat(chunks).toString()).to.equal('x'.repeat(CHUNKS));
    expect(chunks.length).to.be.below(CHUNKS / 100);
  });
});
