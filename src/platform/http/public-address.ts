/**
 * Requests to an address that a user or a document gave: to public addresses only, so that they reach no service of the operator's network (OWASP,
 * Server-Side Request Forgery Prevention).
 */
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { blockList } from '../config/addresses.js';
import { addressesOf, lookupFrom } from '../name-lookup.js';

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
  const lookup = lookupFrom(async (name) => {
    const allowed = (await addressesOf(name, request.signal)).filter(({ address }) => isAllowed(address));
    if (allowed.length === 0) throw new NotPublicError();
    return allowed;
  });
  return new Promise((resolve, reject) => {
    const { request: send } = url.protocol === 'https:' ? https : http;
    const sent = send(url.href, { ...others, agent: false, auth: '', lookup }, resolve);
    let interim = 0;
    sent.on('information', () => {
      if (++interim > MAX_INTERIM) sent.destroy(codedError('TOO_MANY_INTERIM_RESPONSES'));
    });
    sent.on('error', reject);
    // Without a response or an error, which is what happens when the server switches to another protocol.
    sent.on('close', () => reject(codedError('NO_RESPONSE')));
    sent.end(body);
  });
}

/** Responses with a status from 100 to 199 before the final one. */
const MAX_INTERIM = 10;

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
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
