/** Downloads one picture from another server, within limits, and never from an address that is not public. */
import { type LookupAddress, lookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { blockList } from '../platform/config/addresses.js';
import { MAX_IMAGE_BYTES } from '../services/images/image.js';

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Why a picture cannot be downloaded, as a part of a sentence. */
export class DownloadError extends Error {}

/** The server did not respond at all: its other pictures would take the same time. */
export class UnreachableError extends DownloadError {}

export interface DownloadOptions {
  /** Whether connections to this IP address are permitted. Tests permit the local one. */
  isAllowed?: ((address: string) => boolean) | undefined;
  signal?: AbortSignal | undefined;
}

/** @throws DownloadError, or the reason of the signal */
export async function download(
  address: URL,
  { isAllowed = isPublicAddress, signal }: DownloadOptions = {},
): Promise<Buffer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    return await follow(address, isAllowed, ended);
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) throw new UnreachableError(`it took more than ${TIMEOUT_MS / 1000} seconds`);
    if (error instanceof DownloadError) throw error;
    throw new UnreachableError(`the server cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

async function follow(address: URL, isAllowed: (address: string) => boolean, signal: AbortSignal): Promise<Buffer> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await get(url, isAllowed, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return bodyOf(response);
    response.destroy();
    if (statusCode < 300 || statusCode > 399 || !headers.location)
      throw new DownloadError(`the server responded with status ${statusCode}`);
    if (!URL.canParse(headers.location, url.href)) throw new DownloadError('it was redirected to an invalid address');
    url = new URL(headers.location, url);
  }
  throw new DownloadError(`it was redirected more than ${MAX_REDIRECTS} times`);
}

/** Each address is checked when the connection is made, so that a name cannot change its address after the check. */
function get(url: URL, isAllowed: (address: string) => boolean, signal: AbortSignal): Promise<IncomingMessage> {
  if (!/^https?:$/.test(url.protocol)) throw new DownloadError('its address is not http or https');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Connections to an IP address do not call `lookup`.
  if (isIP(host) && !isAllowed(host)) throw new DownloadError(NOT_PUBLIC);
  const options = {
    signal,
    agent: false,
    lookup: lookupAllowed(isAllowed),
    auth: '',
    headers: { 'User-Agent': 'Daybook import', Accept: 'image/*', 'Accept-Encoding': 'identity' },
  } as const;
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.get : http.get;
    send(url.href, options, resolve).on('error', reject);
  });
}

const NOT_PUBLIC = 'its server has no public address';

function lookupAllowed(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[] = []) => {
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (error) callback(error, '');
      else if (!first) callback(new DownloadError(NOT_PUBLIC), '');
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = Number(response.headers['content-length'] ?? 0) > MAX_IMAGE_BYTES ? MAX_IMAGE_BYTES + 1 : 0;
  if (size === 0) {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > MAX_IMAGE_BYTES) break;
      chunks.push(chunk);
    }
  }
  response.destroy();
  if (size > MAX_IMAGE_BYTES) throw new DownloadError(`it has more than ${MAX_IMAGE_BYTES / 1024 / 1024} MiB`);
  return Buffer.concat(chunks);
}

/** Source: IANA registries of special-purpose addresses. Of IPv6, only global unicast without transition mechanisms is public. */
const SPECIAL_IPV4 = blockList(
  '0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,192.0.2.0/24,' +
    '192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,224.0.0.0/4,240.0.0.0/4',
);
const GLOBAL_IPV6 = blockList('2000::/3');
const SPECIAL_IPV6 = blockList('2001::/23,2001:db8::/32,2002::/16,3fff::/20');

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !SPECIAL_IPV4.check(address);
  return isIP(address) === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
}
