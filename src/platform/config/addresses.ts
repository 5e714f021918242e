/** Network addresses: loopback host names, and the proxies whose `X-Forwarded-For` is trusted for client addresses. */
import { BlockList, isIP } from 'node:net';
import { EnvError } from 'envalid';
import { makeSetting } from './setting.js';

/** Whether a host name is the loopback interface (RFC 8252 §8.3). */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** The trusted proxies in front of the service: their number, or their addresses. */
export type TrustProxy = { readonly hops: number } | { readonly proxies: BlockList };

/** The setting TRUST_PROXY: `1`, or `10.0.0.0/8,::1`. */
export const trustedProxies = makeSetting((input): TrustProxy => {
  if (/^\d{1,2}$/.test(input)) return { hops: Number(input) };
  return { proxies: blockList(input) };
});

/** Hosts that requests may be sent to although they are not public. */
export interface AllowedHosts {
  /** @param hostname of a URL */
  hasName(hostname: string): boolean;
  /** @param address an IP address; others are not contained */
  hasAddress(address: string): boolean;
}

/** The setting WEBHOOK_ALLOWED_HOSTS: `hooks.internal,10.0.0.0/8`. */
export const allowedHosts = makeSetting(
  (input): AllowedHosts => {
    const hosts = input.split(',').map((host) => host.trim().toLowerCase());
    const names = new Set(hosts.filter((host) => isIP(host.split('/')[0] ?? '') === 0));
    if (![...names].every((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name))) throw new EnvError();
    const ranges = hosts.filter((host) => !names.has(host));
    const addresses = ranges.length > 0 ? blockList(ranges.join()) : new BlockList();
    return {
      hasName: (hostname) => names.has(hostname),
      hasAddress: (address) => addresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
    };
  },
  { whenEmpty: { hasName: () => false, hasAddress: () => false } },
);

/** @param ranges addresses and subnets, separated by commas. @throws EnvError */
export function blockList(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(',')) addRange(list, range.trim());
  return list;
}

function addRange(proxies: BlockList, range: string): void {
  const [address = '', bits, ...others] = range.split('/');
  const family = isIP(address);
  const max = family === 4 ? 32 : 128;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
  if (family === 0 || !isPrefix || others.length > 0) throw new EnvError();
  proxies.addSubnet(address, bits === undefined ? max : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
}
