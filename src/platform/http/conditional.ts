/** Conditional requests (RFC 9110 §13): ETag, Last-Modified, and 304 if the client's cached copy is current. */
import { hash } from 'node:crypto';
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';

/** The version of the data behind a representation, as its stamp describes it (models/stamp.ts). */
export interface Version {
  /** Differs between any two states of the data. */
  readonly tag: string;
  /** Time of the last change, in seconds since 1970; infinite if it is unknown. */
  readonly second: number;
  /** Whether a change that is not committed yet may have an earlier time. */
  readonly isRecent: boolean;
  /** The revision of an article, which If-Match compares. */
  readonly revision?: string;
}

/** One form of a resource, in one state. */
export interface Representation {
  version: Version;
  /** Everything else that the content depends on: build, settings, language, address. */
  variant: string;
}

/**
 * Responds with 304 if the client has the current representation, otherwise with the text of `write`.
 * @param representation its version must be read before `write` reads the data; null if it is unknown
 */
export async function respondCacheable(
  ctx: Koa.Context,
  representation: Representation | null,
  contentType: string,
  write: () => Promise<string> | string,
): Promise<void> {
  const current = representation && isCacheable(ctx) ? representation : null;
  if (current && isUnchanged(ctx, current)) ctx.status = 304;
  else {
    const text = await write();
    ctx.type = contentType;
    ctx.body = text;
  }
  if (current) setValidators(ctx, current);
}

/** Whether responses to this request may be cached and revalidated. Responses to members may not (RFC 9111 §3.5). */
export function isCacheable(ctx: Koa.Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && !ctx.headers.authorization;
}

export function isConditional(ctx: Koa.Context): boolean {
  return Boolean(ctx.headers['if-none-match'] || ctx.headers['if-modified-since']);
}

/** Whether the client has a tag. `*` and dates do not show that there was a successful response to the same request. */
export function namesTag(ctx: Koa.Context): boolean {
  return ctx.get('If-None-Match').includes('"');
}

/** For a response whose version is known only from its content: the tag is that of its body. 304 if the client has it. */
export function setContentTag(ctx: Koa.Context): void {
  const tag = revisionTag(undefined, String(ctx.body));
  ctx.set('Cache-Control', 'public, no-cache');
  ctx.vary('Accept-Encoding');
  ctx.set('ETag', tag);
  if (isKnownTag(ctx)) ctx.status = 304;
}

/** Whether If-None-Match has the tag of the response. Unlike `fresh` of Koa, also beside `Cache-Control: no-cache`, which is for caches (RFC 9110 §13.2.2). */
export function isKnownTag(ctx: Koa.Context, tag = ctx.response.get('ETag')): boolean {
  const known = ctx.get('If-None-Match');
  if (known === '') return false;
  return known.trim() === '*' || opaqueTags(known).includes(opaqueTags(tag)[0]);
}

/** Any cache may store the response, and must revalidate it before each use. A 304 has the same headers as the 200 (RFC 9110 §15.4.5). */
export function setValidators(ctx: Koa.Context, representation: Representation): void {
  ctx.set('Cache-Control', 'public, no-cache');
  ctx.vary('Accept-Encoding');
  ctx.set('ETag', entityTag(representation));
  if (Number.isFinite(representation.version.second)) ctx.set('Last-Modified', lastModified(representation));
}

/** Removes the validators: caches must not store the response. */
export function setUncacheable(ctx: Koa.Context): void {
  ctx.remove('ETag');
  ctx.remove('Last-Modified');
  ctx.set('Cache-Control', 'no-store');
}

/** Whether the client has the current representation. If-None-Match takes precedence over If-Modified-Since (RFC 9110 §13.2.2). */
export function isUnchanged(ctx: Koa.Context, representation: Representation): boolean {
  if (ctx.get('If-None-Match') !== '') return isKnownTag(ctx, entityTag(representation));
  const since = readDate(ctx.get('If-Modified-Since'));
  // Compared with the time of the change, not with Last-Modified, which may be one second earlier.
  return since !== null && representation.version.second * 1000 <= since;
}

/** Opaque tags between the quotes, for weak comparison (RFC 9110 §8.8.3.2). */
function opaqueTags(list: string): (string | undefined)[] {
  return [...list.matchAll(/(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, tag]) => tag);
}

/** The three date formats of RFC 9110 §5.6.7; asctime has no zone. @returns milliseconds; null for an invalid date, ignored by §13.1.3 */
function readDate(text: string): number | null {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/.test(text)) return null;
  const moment = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(moment) ? null : moment;
}

/**
 * Weak, since two concurrent requests can get the same tag with different states of the data. The tag is then that of the
 * older state, so that the next conditional request detects the change.
 */
export function entityTag({ version, variant }: Representation): string {
  return revisionTag(version.revision, `${variant}\n${version.tag}`);
}

/** @param content everything that the representation depends on */
export function revisionTag(revision: string | number | undefined, content: string): string {
  const digest = hash('sha1', content, 'base64url');
  return revision === undefined ? `W/"${digest}"` : `W/"${revision}.${digest}"`;
}

/**
 * Resolution of one second, and never in the future. While another change within the same second is possible, it is the
 * previous second, so that If-Modified-Since does not lead to an incorrect 304.
 */
function lastModified({ version }: Representation): string {
  const second = version.isRecent ? version.second - 1 : version.second;
  return dateHeader(Math.min(second, Math.floor(Date.now() / 1000)));
}

/** Cache of formatted HTTP dates by second: many resources share a second, and most are requested repeatedly. */
const dates = new LRUCache<number, string>({ max: 1000 });

function dateHeader(second: number): string {
  const date = dates.get(second) ?? new Date(second * 1000).toUTCString();
  dates.set(second, date);
  return date;
}
