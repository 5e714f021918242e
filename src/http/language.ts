/** Which language an answer is in: the one of ours that the client's Accept-Language header prefers. */
import type Koa from 'koa';
import { LANGUAGES, type Language } from '../messages/message.js';

/** RFC 9110 §12.5.4. Who asks for none of ours, or cannot be understood, gets English: a refusal would help nobody. */
export function languageOf(ctx: Pick<Koa.Context, 'req' | 'acceptsLanguages'>): Language {
  // Programs seldom send one, and need not wait for it to be read.
  if (ctx.req.headers['accept-language'] === undefined) return 'en';
  return (ctx.acceptsLanguages([...LANGUAGES]) || 'en') as Language;
}

/** Says in which language an answer is, and to caches that it would be another one for other readers. */
export function setLanguage(ctx: Koa.Context, language: Language): void {
  ctx.set('Content-Language', language);
  const before = ctx.response.get('Vary');
  const known = varying.get(before);
  if (known === undefined) ctx.vary('Accept-Language');
  else ctx.set('Vary', known);
  varying.set(before, ctx.response.get('Vary'));
}

/** The header with Accept-Language by what it was without: there are few, and reading the list takes longer than the rest. */
const varying = new Map<string, string>();
