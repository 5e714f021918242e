/** The server: that of Astro, with the address of the visitor in X-Forwarded-For, which the service counts its limits by. */
import { createServer } from 'node:http';

process.env.ASTRO_NODE_AUTOSTART = 'disabled';
const { handler } = await import('./dist/server/entry.mjs');

const port = Number(process.env.PORT ?? 4001);
const server = createServer((request, response) => {
  // Behind a proxy, its header comes first. TRUST_PROXY of the service says how many of the addresses to trust.
  const { headers, socket } = request;
  headers['x-forwarded-for'] = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
  handler(request, response);
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
