/** Client address of a request: the peer address of the connection, or the one that a trusted proxy forwarded. */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';
import { blockList, type TrustProxy } from '../config/addresses.js';

/**
 * Reads X-Forwarded-For from its end, where the nearest proxy appends, and only as far as the proxies are trusted:
 * entries that a client forged precede these and are never read.
 */
export function clientAddress(request: IncomingMessage, trust: TrustProxy): string {
  let address = peerAddress(request.socket);
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  for (let hop = 0; isTrusted(address, hop, trust); hop++) {
    const before = unmapIpv4(forwarded.pop()?.trim() ?? '');
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/** The address at the other end of the connection: the client, or the last proxy. */
export function peerAddress({ remoteAddress = '' }: Socket): string {
  return unmapIpv4(remoteAddress);
}

const LOOPBACK = blockList('127.0.0.0/8,::1');
/** RFC 1918, RFC 4193 and link-local. */
const PRIVATE = blockList('10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,fc00::/7,fe80::/10');

/**
 * Whether a peer may be a proxy with connections of many clients: any loopback address, and the addresses in
 * TRUST_PROXY. If TRUST_PROXY is a number of hops, peers on private networks count as proxies, but clients that bypass
 * the proxy do not.
 */
export function isProxy(address: string, trust: TrustProxy): boolean {
  if (includes(LOOPBACK, address)) return true;
  return 'hops' in trust ? trust.hops > 0 && includes(PRIVATE, address) : includes(trust.proxies, address);
}

function isTrusted(address: string, hop: number, trust: TrustProxy): boolean {
  return 'hops' in trust ? hop < trust.hops : includes(trust.proxies, address);
}

function includes(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Maps IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2) to IPv4, and removes zone ids, which are valid only on the local host. */
function unmapIpv4(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.toLowerCase().replace(/%.*$/, '');
}

/** Key of the per-network limits: an IPv4 address, or an IPv6 /64, the minimum that a site gets (RFC 6177). */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill('0');
  const groups = [...front, ...zeros, ...back].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
