/** The envelope of every REST answer: `{"code", "message", "data"}`, in that order. */
import type Koa from 'koa';
import { setLanguage } from '../../http/language.js';
import { type AnswerKey, LANGUAGES, type Language, say } from '../../messages/message.js';

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
