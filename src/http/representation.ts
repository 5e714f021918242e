/** Validators of a representation: ETag and Last-Modified (RFC 9110 §8.8). */
import { hash } from 'node:crypto';
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';

/** The version of the data behind a representation. */
export interface Version {
  /** Different for each state of the data. */
  readonly tag: string;
  /** Time of the last change, in seconds since 1970. */
  readonly second: number;
  /** Whether another change with the same second is still possible. */
  readonly isYoung: boolean;
}

/** One form of a resource, in one state. */
export interface Representation {
  stamp: Version;
  /** Everything else that the content depends on: build, settings, language, address. */
  variant: string;
}

/**
 * Weak, since two concurrent requests can get the same tag with different states of the data. The tag is then that of the
 * older state, so that the next conditional request detects the change.
 */
export function entityTag({ stamp, variant }: Representation): string {
  return `W/"${hash('sha1', `${variant}\n${stamp.tag}`, 'base64url')}"`;
}

/**
 * Resolution of one second, and never in the future. While another change with the same second is possible, it is the
 * second before, so that If-Modified-Since does not lead to an incorrect 304.
 */
export function lastModified({ stamp }: Representation): string {
  const second = stamp.isYoung ? stamp.second - 1 : stamp.second;
  return dateHeader(Math.min(second, Math.floor(Date.now() / 1000)));
}

/** Cache of formatted HTTP dates by second: many resources share a second, and most are requested repeatedly. */
const dates = new LRUCache<number, string>({ max: 1000 });

function dateHeader(second: number): string {
  const known = dates.get(second) ?? new Date(second * 1000).toUTCString();
  dates.set(second, known);
  return known;
}

/** Any cache may store the response, and must revalidate it before each use. */
export function setValidators(ctx: Koa.Context, representation: Representation): void {
  ctx.set('Cache-Control', 'public, no-cache');
  ctx.set('ETag', entityTag(representation));
  ctx.set('Last-Modified', lastModified(representation));
}
