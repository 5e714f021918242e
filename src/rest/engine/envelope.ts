/** REST responses: the data or the error of an outcome, and the envelope `{"code", "message", "data"}`, in that order. */
import type { ExecutionResult } from 'graphql';
import type Koa from 'koa';
import { AppError, type FieldError } from '../../platform/errors.js';
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

type Data = Record<string, unknown>;

/** Maps each argument and input field to its name in the request. */
interface NamedForClients {
  readonly clientNames: ReadonlyMap<string, string>;
}

/** @throws the error of the resolver, with its fields renamed to those of the request */
export function unwrapResult(endpoint: NamedForClients, { data, errors = [] }: ExecutionResult<Data>): Data {
  const [error] = errors;
  if (!error && data) return data;
  const cause = error?.originalError ?? error;
  if (!(cause instanceof AppError) || cause.errors.length === 0) throw cause;
  throw new AppError(cause.key, { message: cause.clientMessage, errors: renameFields(cause.errors, endpoint), cause });
}

export function renameFields(errors: readonly FieldError[], { clientNames }: NamedForClients): FieldError[] {
  return errors.map(({ field, message }) => ({ field: clientNames.get(field) ?? field, message }));
}
