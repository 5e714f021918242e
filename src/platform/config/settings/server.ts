/** Settings of the HTTP server (URLs, trusted proxies, timeouts, memory and connection limits) and of the website. */
import { trustedProxies } from '../addresses.js';
import {
  addressWith,
  autoOrWholeNumber,
  byteSize,
  duration,
  flag,
  group,
  noneOrDuration,
  origins,
  pageUrl,
  text,
  webUrl,
  wholeNumber,
} from '../setting.js';

const MAX_WORKERS = 64;
export const MAX_AUTO_WORKERS = 5;

export const serverSettings = group('Service', {
  PORT: wholeNumber({
    range: [0, 65_535],
    default: '4000',
    expected: 'a port from 0 (any free one) to 65535',
    description: 'TCP port to listen on.',
  }),
  HOST: text({
    default: '0.0.0.0',
    expected: 'the address to listen on',
    description:
      'Address to listen on. `127.0.0.1` accepts connections from the same machine only, for example from a proxy.',
  }),
  WORKERS: autoOrWholeNumber({
    range: [1, MAX_WORKERS],
    default: '1',
    description: `Number of processes that serve the port. \`auto\` starts one for each processor core, at most ${MAX_AUTO_WORKERS}, whose connections fit into PostgreSQL's default of 100. With \`1\`, the process of the command is the server; otherwise it supervises the others ([deployment](deploy.md#several-workers)). Settings that apply to each process apply to each worker.`,
  }),
  PUBLIC_URL: pageUrl({
    default: '',
    effectiveDefault: '`http://localhost:PORT`',
    expected: 'a URL without a query and a fragment, such as https://journal.example.org',
    description:
      'URL under which clients reach the service. URLs in responses, such as those of images, begin with it.',
  }),
  TRUST_PROXY: trustedProxies({
    default: '0',
    expected: 'the number of proxies, or their addresses such as 10.0.0.0/8, separated by commas',
    description:
      'Proxies whose `X-Forwarded-For` is trusted. If the number is too low, limits count all clients as one; if it is too high, clients can forge their addresses.',
  }),
  CORS_ORIGINS: origins({
    default: '',
    effectiveDefault: 'none',
    expected: 'origins such as https://example.org, separated by commas, without wildcards',
    description: 'Origins of web pages that may call the service from a browser.',
  }),
  MCP: flag({
    default: 'true',
    description:
      'Whether [agents](agents.md) can use the journal over the Model Context Protocol, at `/mcp`. Web pages need `CORS_ORIGINS` for it.',
  }),
  HSTS_MAX_AGE: noneOrDuration({
    default: '365d',
    expected: '0 or a duration such as 365d',
    description:
      'Time for which browsers use only https for this host (`Strict-Transport-Security`), if `PUBLIC_URL` is https. Subdomains are not included.',
  }),
  SHUTDOWN_DELAY: noneOrDuration({
    default: '0',
    expected: '0 or a duration such as 5s',
    description:
      'Time from SIGTERM to the end of accepting requests, in which `/readyz` is 503 and responses close their connections. Behind a proxy: longer than the interval of its health checks and the idle timeout of its connections.',
  }),
  DATA_DIR: text({
    default: '.daybook',
    expected: 'a folder',
    description:
      'Folder of the embedded database, images and generated secrets. [Back it up](backup.md) with `npx daybook backup`: after a copy of it is put back, `npx daybook changes reset` is necessary. Processes on one machine may share it.',
  }),
});

export const httpSettings = group('HTTP', {
  HEADERS_TIMEOUT: duration({
    default: '10s',
    description: 'Time for the headers of a request to arrive, from its first byte or the opening of the connection.',
    limit: { area: 'HTTP', error: 'REQUEST_TIMEOUT' },
  }),
  BODY_TIMEOUT: duration({
    default: '30s',
    description: 'Time for the body of a request to arrive, after its headers.',
    limit: { area: 'HTTP', error: 'REQUEST_TIMEOUT' },
  }),
  WRITE_TIMEOUT: duration({
    default: '30s',
    description:
      'Write timeout: the connection of a client that reads nothing of a response for this time is closed. A slow download continues.',
    limit: { area: 'HTTP', error: null },
  }),
  BODY_MEMORY: byteSize({
    default: '64MiB',
    description: 'Memory for request bodies in each process, from their arrival to the end of their requests.',
    limit: { area: 'HTTP', error: 'SERVICE_UNAVAILABLE' },
  }),
  BODY_MEMORY_PER_NETWORK: byteSize({
    default: '24MiB',
    description:
      'Share of `BODY_MEMORY` available to one client network (IPv4 address or IPv6 /64). The default fits two uploads of the maximum size.',
    limit: { area: 'HTTP', error: 'RATE_LIMITED' },
  }),
  RESPONSE_MEMORY: byteSize({
    default: '128MiB',
    description:
      'Memory for response bytes in each process that clients have not read yet. Beyond it, the connections with the most unread bytes are closed, starting with those of the network with the most.',
    limit: { area: 'HTTP', error: null },
  }),
  MAX_CONNECTIONS: wholeNumber({
    range: [1, 1_000_000],
    default: '10000',
    description:
      'Open connections of each process, including streams and WebSockets. Further connections are closed immediately.',
    limit: { area: 'HTTP', error: null },
  }),
  MAX_CONNECTIONS_PER_NETWORK: wholeNumber({
    range: [1, 1_000_000],
    default: '256',
    description:
      'Open connections of one network (IPv4 address or IPv6 /64). Loopback addresses and the proxies of `TRUST_PROXY` are exempt; where it is a positive number, private networks are exempt as well.',
    limit: { area: 'HTTP', error: 'RATE_LIMITED' },
  }),
});

/** The website that shows the articles, to which feeds and the sitemap link. */
export const siteSettings = group('Feeds and the sitemap', {
  SITE_TITLE: text({
    default: 'Daybook',
    expected: 'a name',
    description: 'Title of the journal in [feeds](feeds.md).',
  }),
  SITE_URL: webUrl({
    default: '',
    effectiveDefault: '`PUBLIC_URL`',
    expected: 'a URL such as https://example.org',
    description: 'URL of the front page of the website, to which the front page of the service links as well.',
  }),
  ARTICLE_URL: addressWith({
    placeholders: ['id', 'slug'],
    default: '',
    effectiveDefault: '`PUBLIC_URL/api/articles/{id}`',
    expected: 'a URL with {slug} or {id} in it, such as https://example.org/articles/{slug}',
    description:
      'URL of the page of an article, in feeds, the sitemap and emails; `{slug}` is replaced by its [slug](feeds.md), percent-encoded, and `{id}` by its ID.',
  }),
  MEMBER_URL: addressWith({
    placeholders: ['id', 'nickname'],
    default: '',
    effectiveDefault: 'none',
    expected: 'a URL with {id} or {nickname} in it, such as https://example.org/members/{id}',
    description:
      'URL of the page of a member, to which [mentions](mentions.md) in the HTML of articles lead; `{id}` is replaced by the ID, and `{nickname}` by the current nickname, percent-encoded. Without it, mentions are text.',
  }),
  LLMS_TXT: flag({
    default: 'true',
    description:
      'Whether language models and other programs can read the public articles as [Markdown files](markdown.md#public-addresses): `/llms.txt` and `/articles/{slug}.md`.',
  }),
  SHARE_URL: pageUrl({
    default: '',
    effectiveDefault: '`PUBLIC_URL/api/shared/<token>`',
    expected: 'a URL without a query and a fragment, such as https://example.org/preview',
    description:
      'URL of the page of the frontend for [share links](security.md#share-links); `#token=` and the token are appended. By default, links lead to the REST API.',
  }),
});
