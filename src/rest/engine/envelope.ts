/** The envelope of every REST response: `{"code", "message", "data"}`, in that order. */
import type Koa from 'koa';
import { setLanguage } from '../../http/language.js';
import { type AnswerKey, LANGUAGES, type Language, say } from '../../messages/message.js';

/** The envelope prefix: the JSON text of a success response up to the value of `data`, per language. */
export type Opening = Readonly<Record<Language, string>>;

/** Computed once per endpoint: in one language its success responses differ only in their data. */
export function openingOf(message: AnswerKey): Opening {
  const openings = LANGUAGES.map((language) => {
    return [language, `{"code":"1","message":${JSON.stringify(say(message).in(language))},"data":`] as const;
  });
  return Object.fromEntries(openings) as Opening;
}

/** @param data JSON text, inserted verbatim */
export function answer(ctx: Koa.Context, status: number, opening: Opening, language: Language, data: string): void {
  ctx.status = status;
  if (status === 204) return;
  setLanguage(ctx, language);
  ctx.type = 'application/json';
  ctx.body = successText(opening, language, data);
}

/** @param data JSON text, inserted verbatim */
export function successText(opening: Opening, language: Language, data: string): string {
  return `${opening[language]}${data}}`;
}
