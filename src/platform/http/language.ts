/** Language of a response: the supported language that the Accept-Language header prefers. */
import type Koa from 'koa';
import { LANGUAGES, type Language } from '../messages/message.js';

/** RFC 9110 §12.5.4. English, instead of a 406, if no supported language is acceptable or the header is invalid. */
export function languageOf(ctx: Pick<Koa.Context, 'req' | 'acceptsLanguages'>): Language {
  // Fast path: clients other than browsers seldom send the header.
  if (ctx.req.headers['accept-language'] === undefined) return 'en';
  return (ctx.acceptsLanguages([...LANGUAGES]) || 'en') as Language;
}

/** Sets Content-Language, and adds Accept-Language to Vary for caches. */
export function setLanguage(ctx: Koa.Context, language: Language): void {
  ctx.set('Content-Language', language);
  const before = ctx.response.get('Vary');
  const cached = varying.get(before);
  if (cached === undefined) ctx.vary('Accept-Language');
  else ctx.set('Vary', cached);
  varying.set(before, ctx.response.get('Vary'));
}

/** Cache of Vary values: value before to value with Accept-Language. There are few, and parsing the list is comparatively slow. */
const varying = new Map<string, string>();
