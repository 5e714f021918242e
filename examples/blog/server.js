/**
 * The server: that of Astro, with the address of the visitor in X-Forwarded-For, which the service counts its limits by, and with
 * headers for security in all responses, also in those that Astro sends before it calls `src/middleware.ts`, and in those of files.
 */
import { createServer } from 'node:http';
import { Socket } from 'node:net';

process.env.ASTRO_NODE_AUTOSTART = 'disabled';
const { handler } = await import('./dist/server/entry.mjs');

const service = new URL(process.env.DAYBOOK_PUBLIC_URL ?? process.env.DAYBOOK_URL ?? 'http://localhost:4000');
const headersForSecurity = new Headers({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    // Articles can have images of other sites. Remove `https:` if yours may not.
    `img-src 'self' data: https: ${service.origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'X-Content-Type-Options': 'nosniff',
});

const port = Number(process.env.PORT ?? 4001);
const server = createServer((request, response) => {
  // Behind a proxy, its header comes first. TRUST_PROXY of the service says how many of the addresses to trust.
  const { headers, socket } = request;
  headers['x-forwarded-for'] = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
  response.setHeaders(headersForSecurity);
  // The rest of a body that nothing reads, such as of a form that is too large, ends with the connection. This is closed a second
  // after the response: a client that is still sending would not see it if the connection was reset at once.
  socket.destroySoon = () => {
    if (request.complete) return Socket.prototype.destroySoon.call(socket);
    socket.end();
    setTimeout(() => socket.destroy(), 1_000);
  };
  response.once('finish', () => request.complete || socket.destroySoon());
  if (['GET', 'HEAD', 'POST'].includes(request.method)) handler(request, response);
  else response.writeHead(405, { Allow: 'GET, HEAD, POST' }).end();
});
server.once('error', ({ code }) => {
  console.error(`The example cannot listen on port ${port} (${code}): set PORT to another port.`);
  process.exit(1);
});
server.listen(port, process.env.HOST ?? '0.0.0.0', () =>
  console.log(`The example is on http://localhost:${server.address().port}`),
);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close(() => process.exit());
    // Streams of notifications do not end by themselves.
    server.closeAllConnections();
  });
}
