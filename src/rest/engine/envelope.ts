/** The envelope of REST responses: `{"code", "message", "data"}`, in that order. */
import type Koa from 'koa';
import { setLanguage } from '../../platform/http/language.js';
import { createMessage, LANGUAGES, type Language, type ResponseMessageKey } from '../../platform/messages/message.js';

/** The envelope prefix: the JSON text of a success response up to the value of `data`, per language. */
export type EnvelopePrefix = Readonly<Record<Language, string>>;

/** Computed once per endpoint: in one language its success responses differ only in their data. */
export function envelopePrefix(message: ResponseMessageKey): EnvelopePrefix {
  const openings = LANGUAGES.map((language) => {
    return [language, `{"code":"1","message":${JSON.stringify(createMessage(message).in(language))},"data":`] as const;
  });
  return Object.fromEntries(openings) as EnvelopePrefix;
}

/** @param data JSON text, inserted verbatim */
export function respond(
  ctx: Koa.Context,
  status: number,
  prefix: EnvelopePrefix,
  language: Language,
  data: string,
): void {
  ctx.status = status;
  if (status === 204) return;
  setLanguage(ctx, language);
  ctx.type = 'application/json';
  ctx.body = successText(prefix, language, data);
}

/** A response without an envelope, which is the same in each language. */
export function respondWithText(ctx: Koa.Context, mediaType: string, text: string): void {
  ctx.status = 200;
  ctx.type = mediaType;
  ctx.body = text;
}

/** @param data JSON text, inserted verbatim */
export function successText(prefix: EnvelopePrefix, language: Language, data: string): string {
  return `${prefix[language]}${data}}`;
}
