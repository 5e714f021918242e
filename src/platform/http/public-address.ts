/**
 * Requests to an address that a user or a document gave: to public addresses only, so that they reach no service of the operator's network (OWASP,
 * Server-Side Request Forgery Prevention).
 */
import { type LookupAddress, lookup } from 'node:dns';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { blockList } from '../config/addresses.js';

/** The name has no address that is permitted. */
export class NotPublicError extends Error {}

export interface PublicRequest extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  readonly body?: string;
  /** Whether connections to this IP address are permitted. Default: the public ones. */
  readonly isAllowed?: ((address: string) => boolean) | undefined;
}

/**
 * Redirects are not followed, and credentials of the URL are not sent. Each address is checked when the connection is made, so that a name cannot change
 * its address after the check.
 * @param url http or https
 * @throws NotPublicError, or the error of the connection
 */
export function requestPublic(url: URL, request: PublicRequest): Promise<IncomingMessage> {
  const { body, isAllowed = isPublicAddress, ...others } = request;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Connections to an IP address do not call `lookup`.
  if (isIP(host) && !isAllowed(host)) return Promise.reject(new NotPublicError());
  const options = { ...others, agent: false, auth: '', lookup: lookupAllowed(isAllowed) };
  return new Promise((resolve, reject) => {
    const { request: send } = url.protocol === 'https:' ? https : http;
    send(url.href, options, resolve).on('error', reject).end(body);
  });
}

/** Of the addresses of a name, those that are permitted. */
function lookupAllowed(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[] = []) => {
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (error) callback(error, '');
      else if (!first) callback(new NotPublicError(), '');
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
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
