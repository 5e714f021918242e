/** Conditional requests (RFC 9110 §13): whether the client's cached copy is current. */
import type Koa from 'koa';
import { entityTag, type Representation, setValidators } from './representation.js';

/** Whether responses to this request may be cached and revalidated. Responses to members may not (RFC 9111 §3.5). */
export function isCacheable(ctx: Koa.Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && !ctx.headers.authorization;
}

export function isConditional(ctx: Koa.Context): boolean {
  return Boolean(ctx.headers['if-none-match'] || ctx.headers['if-modified-since']);
}

/** Responds with 304 if the client has the current representation. @returns whether it did */
export function answerUnchanged(ctx: Koa.Context, representation: Representation): boolean {
  if (!isUnchanged(ctx, representation)) return false;
  setValidators(ctx, representation);
  ctx.status = 304;
  return true;
}

/** RFC 9110 §13.2.2: If-None-Match, if present, takes precedence over If-Modified-Since. */
function isUnchanged(ctx: Koa.Context, representation: Representation): boolean {
  const tags = ctx.get('If-None-Match');
  if (tags !== '') return tags.trim() === '*' || opaqueTags(tags).includes(opaqueTags(entityTag(representation))[0]);
  const since = readDate(ctx.get('If-Modified-Since'));
  // Compared with the time of the change, not with Last-Modified, which may be one second earlier.
  return since !== null && representation.stamp.second * 1000 <= since;
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
