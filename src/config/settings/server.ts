/** Settings of the HTTP server: addresses, trusted proxies, timeouts, memory and connection limits, API options. */
import { trustedProxies } from '../trust-proxy.js';
import { byteSize, duration, flag, origins, pageBase, text, webUrl, wholeNumber, wholeNumberFrom } from '../values.js';
import { group } from './group.js';

export const serverSettings = group('The service', {
  PORT: wholeNumber({
    default: '4000',
    desc: 'a port from 0 (any free one) to 65535',
    about: 'Where to listen.',
  }),
  HOST: text({
    default: '0.0.0.0',
    desc: 'the address to listen on',
    about: '`127.0.0.1` where only a proxy on the same machine should reach it.',
  }),
  PUBLIC_URL: webUrl({
    default: '',
    otherwise: '`http://localhost:PORT`',
    desc: 'an address such as https://journal.example.org',
    about: 'Under which clients reach the service. Addresses in answers, such as those of images, begin with it.',
  }),
  TRUST_PROXY: trustedProxies({
    default: '0',
    desc: 'the number of proxies in front, or their addresses such as 10.0.0.0/8, separated by commas',
    about:
      'Whose `X-Forwarded-For` is believed. Too little, and all clients are one to the limits; too much, and each may pretend to be another.',
  }),
  CORS_ORIGINS: origins({
    default: '',
    otherwise: 'none',
    desc: 'origins such as https://example.org, separated by commas',
    about: 'Web pages that may call the service from a browser. Apollo Sandbox always may.',
  }),
  DATA_DIR: text({
    default: '.daybook',
    desc: 'a folder',
    about: 'The embedded database, images and generated secrets. Back it up. Processes on one machine may share it.',
  }),
});

const connectionCount = wholeNumberFrom(1, 1_000_000);

export const httpSettings = group('HTTP', {
  HEADERS_TIMEOUT: duration({
    default: '10s',
    desc: 'a duration such as 10s',
    about: 'Time for the headers of a request to arrive, from its first byte or the opening of the connection.',
    limit: { area: 'HTTP', error: 'REQUEST_TIMEOUT' },
  }),
  BODY_TIMEOUT: duration({
    default: '30s',
    desc: 'a duration such as 30s',
    about: 'Time for the body of a request to arrive, after its headers.',
    limit: { area: 'HTTP', error: 'REQUEST_TIMEOUT' },
  }),
  WRITE_TIMEOUT: duration({
    default: '30s',
    desc: 'a duration such as 30s',
    about:
      'Time for which a client may take nothing of a response. Then its connection is closed; a slow download goes on.',
    limit: { area: 'HTTP', error: null },
  }),
  BODY_MEMORY: byteSize({
    default: '64MiB',
    desc: 'a size such as 64MiB',
    about: 'Memory for request bodies in each process, from their arrival to the end of their requests.',
    limit: { area: 'HTTP', error: 'SERVICE_UNAVAILABLE' },
  }),
  BODY_MEMORY_PER_NETWORK: byteSize({
    default: '24MiB',
    desc: 'a size such as 24MiB',
    about:
      'The share of `BODY_MEMORY` that one client network (IPv4 address or IPv6 /64) may use: two uploads of the largest size.',
    limit: { area: 'HTTP', error: 'RATE_LIMITED' },
  }),
  RESPONSE_MEMORY: byteSize({
    default: '128MiB',
    desc: 'a size such as 128MiB',
    about:
      'Responses in each process that clients have not taken yet. Beyond it, the connections with the most are closed, those of the network with the most first.',
    limit: { area: 'HTTP', error: null },
  }),
  MAX_CONNECTIONS: connectionCount({
    default: '10000',
    desc: 'a whole number from 1 to 1000000',
    about: 'Open connections of each process, streams and WebSockets included. One more is closed at once.',
    limit: { area: 'HTTP', error: null },
  }),
  MAX_CONNECTIONS_PER_NETWORK: connectionCount({
    default: '256',
    desc: 'a whole number from 1 to 1000000',
    about:
      'Open connections of one network (IPv4 address or IPv6 /64). This machine and `TRUST_PROXY` are exempt; where that is a number, private networks are.',
    limit: { area: 'HTTP', error: 'RATE_LIMITED' },
  }),
});

export const interfaceSettings = group('The interface', {
  REST_PAGE_BASE: pageBase({
    default: '1',
    desc: '0 or 1',
    about: 'What REST clients call the first page.',
  }),
  GRAPHQL_INTROSPECTION: flag({
    default: 'true',
    desc: 'true or false',
    about: 'Whether clients may ask for the schema. Explorers need it.',
  }),
});
