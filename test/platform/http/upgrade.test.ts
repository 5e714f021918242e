/** Requests with an Upgrade header to another protocol. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { socketOf } from '../../support/live.js';
import { sendRaw } from '../../support/raw.js';

describe('A request with an Upgrade header', () => {
  const app = useApp();

  it('is processed over HTTP/1.1 with its body when it requests h2c', async () => {
    const body = JSON.stringify({ email: 'nobody@example.org', password: 'a long password' });
    const upgrade = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk';
    const rest = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const response = await sendRaw(app.url, `POST /api/auth/login HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n${rest}`);
    expect(response).to.match(/^HTTP\/1\.1 401 /);
    expect(response).to.include('INVALID_CREDENTIALS');
  });

  it('returns 404 for a WebSocket at an unknown path', async () => {
    const { pathname } = new URL(socketOf(app.url));
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    const response = await sendRaw(app.url, `GET ${pathname}s HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`);
    expect(response).to.match(/^HTTP\/1\.1 404 /);
    expect(response).to.include('ROUTE_NOT_FOUND');
  });
});
