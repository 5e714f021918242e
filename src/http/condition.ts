/** Conditional requests (RFC 9110 §13): whether the client's copy is the current one. */
import type Koa from 'koa';
import { entityTag, type Representation, setValidators } from './representation.js';

/** Whether answers to this request may be kept, and it may ask about kept ones. Answers to a member may not (RFC 9111 §3.5). */
export function isCacheable(ctx: Koa.Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && !ctx.headers.authorization;
}

export function isConditional(ctx: Koa.Context): boolean {
  return Boolean(ctx.headers['if-none-match'] || ctx.headers['if-modified-since']);
}

/** Answers 304 where the client has the current representation. @returns whether it did */
export function answerUnchanged(ctx: Koa.Context, representation: Representation): boolean {
  if (!isUnchanged(ctx, representation)) return false;
  setValidators(ctx, representation);
  ctx.status = 304;
  return true;
}

/** RFC 9110 §13.2.2: If-None-Match decides alone where it is there. */
function isUnchanged(ctx: Koa.Context, representation: Representation): boolean {
  const tags = ctx.get('If-None-Match');
  if (tags !== '') return tags.trim() === '*' || opaqueTags(tags).includes(opaqueTags(entityTag(representation))[0]);
  const since = readDate(ctx.get('If-Modified-Since'));
  // Not the header's second, which may be the one before.
  return since !== null && representation.stamp.second * 1000 <= since;
}

/** Weak comparison (RFC 9110 §8.8.3.2): what is between the quotes. */
function opaqueTags(list: string): (string | undefined)[] {
  return [...list.matchAll(/(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, tag]) => tag);
}

/** The three forms of RFC 9110 §5.6.7, the last of which names no zone. Anything else is ignored, as §13.1.3 says. */
function readDate(text: string): number | null {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/.test(text)) return null;
  const moment = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(moment) ? null : moment;
}
