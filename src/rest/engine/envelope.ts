/** The envelope of every REST answer: `{"code", "message", "data"}`, in that order. */
import type Koa from 'koa';
import type { AppError } from '../../errors.js';
import { languageOf, setLanguage } from '../../http/language.js';
import { type AnswerKey, LANGUAGES, type Language, say } from '../../messages/message.js';
import { toldErrors } from '../../observability/metrics/refusal.js';

/** What an answer of success begins with, up to its data, in each language. */
export type Opening = Readonly<Record<Language, string>>;

/** Made once for an endpoint: its answers differ in their data alone. */
export function openingOf(message: AnswerKey): Opening {
  const openings = LANGUAGES.map((language) => {
    return [language, `{"code":"1","message":${JSON.stringify(say(message).in(language))},"data":`] as const;
  });
  return Object.fromEntries(openings) as Opening;
}

/** `data` is a JSON text, put in as it is. */
export function answer(ctx: Koa.Context, status: number, opening: Opening, language: Language, data: string): void {
  ctx.status = status;
  if (status === 204) return;
  setLanguage(ctx, language);
  ctx.type = 'application/json';
  ctx.body = successText(opening, language, data);
}

/** `data` is a JSON text, put in as it is. */
export function successText(opening: Opening, language: Language, data: string): string {
  return `${opening[language]}${data}}`;
}

/** RFC 9110 §11.6.1: a 401 names the way to authenticate; §10.2.3: how long to wait. */
export function refuse(ctx: Koa.Context, error: AppError): void {
  const language = languageOf(ctx);
  setLanguage(ctx, language);
  ctx.status = error.status;
  if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  ctx.type = 'application/json';
  ctx.body = failureText(error, language);
}

/** For a client that is told of it now: it is counted here. */
export function failureText(error: AppError, language: Language): string {
  toldErrors.inc({ surface: 'rest', key: error.key });
  const data = error.errors.length > 0 ? { errors: error.errorsIn(language) } : {};
  return JSON.stringify({ code: error.key, message: error.said.in(language), data });
}
