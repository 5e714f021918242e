/** The validators of one representation, and the headers that carry them (RFC 9110 §8.8). */
import { hash } from 'node:crypto';
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';

/** The version of the data behind a representation. */
export interface Version {
  /** Differs between two states of the data. */
  readonly tag: string;
  /** Of the last change, since 1970. */
  readonly second: number;
  /** Whether another change of the same second may still come. */
  readonly isYoung: boolean;
}

/** One form of a resource, in one state. */
export interface Representation {
  stamp: Version;
  /** Whatever else the bytes are made from: build, settings, language, address. */
  variant: string;
}

/**
 * Weak, since two readers at once may get the same tag with states of which one is newer; the older tag is then in use, so
 * that the next question finds the difference.
 */
export function entityTag({ stamp, variant }: Representation): string {
  return `W/"${hash('sha1', `${variant}\n${stamp.tag}`, 'base64url')}"`;
}

/**
 * To the second, and never later than now. While a change of the same second may still come, it names the second before,
 * with which nobody is told that nothing has changed.
 */
export function lastModified({ stamp }: Representation): string {
  const second = stamp.isYoung ? stamp.second - 1 : stamp.second;
  return dateHeader(Math.min(second, Math.floor(Date.now() / 1000)));
}

/** As HTTP writes them, by the second: many things changed in the same one, and most are asked for again. */
const dates = new LRUCache<number, string>({ max: 1000 });

function dateHeader(second: number): string {
  const known = dates.get(second) ?? new Date(second * 1000).toUTCString();
  dates.set(second, known);
  return known;
}

/** May be kept by anybody, and asked about before each use. */
export function setValidators(ctx: Koa.Context, representation: Representation): void {
  ctx.set('Cache-Control', 'public, no-cache');
  ctx.set('ETag', entityTag(representation));
  ctx.set('Last-Modified', lastModified(representation));
}
