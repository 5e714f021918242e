/** Unsubscribing from notification emails with the link of an email: by a mail client with one request (RFC 8058), or on a page. */
import type Koa from 'koa';
import { contextFor } from '../context.js';
import { UNSUBSCRIBE } from '../models/notification/notification.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { AppError } from '../platform/errors.js';
import { rejectEncoding } from '../platform/http/json-body.js';
import { languageOf } from '../platform/http/language.js';
import { requestInfo } from '../platform/http/request.js';
import { bodyOf, readChunks } from '../platform/http/request-body.js';
import type { Handler, RouteContext } from '../platform/http/router.js';
import { createMessage, type Message } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import { secretsOf } from '../services/auth/session.js';
import { memberOfUnsubscribeToken } from '../services/auth/unsubscribe-token.js';
import type { Services } from '../services/index.js';
import { escapeHtml } from '../services/rendering/escape.js';
import { STATIC_POLICY, sendPage } from './page.js';

const MAX_BODY_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'PAYLOAD_TOO_LARGE',
  value: 4 * 1024,
  unit: 'bytes',
  about: 'Body of a request that unsubscribes from notification emails.',
});

/** RFC 8058 §3.2 permits both. */
const MEDIA_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** A page with a button. It changes nothing, since scanners open links in emails. */
export function serveUnsubscribePage(services: Services): Handler {
  return (ctx) => {
    if (memberIn(ctx, services) === null) respond(ctx, 400, createMessage('unsubscribeLinkInvalid'));
    else respond(ctx, 200, createMessage('unsubscribeQuestion'), createMessage('unsubscribeButton'));
  };
}

/** Idempotent. The body is read and ignored: the token in the URL determines the change. */
export function handleUnsubscribe(services: Services): Handler {
  return async (ctx) => {
    await readBody(ctx, services);
    const memberId = memberIn(ctx, services);
    const invalid = createMessage('unsubscribeLinkInvalid');
    if (memberId === null) {
      if (ctx.accepts('json', 'html') !== 'html') throw new AppError('TOKEN_INVALID', { message: invalid });
      respond(ctx, 400, invalid);
      return;
    }
    const { database } = contextFor(services, requestInfo(ctx, services.config.trustProxy), null);
    await database.query(UNSUBSCRIBE, [memberId]);
    respond(ctx, 200, createMessage('unsubscribed'));
  };
}

function memberIn(ctx: RouteContext, services: Services): number | null {
  return memberOfUnsubscribeToken(secretsOf(services), ctx.query.token);
}

/** @throws AppError UNSUPPORTED_MEDIA_TYPE, and those of `readChunks` */
async function readBody(ctx: RouteContext, { config, limits }: Services): Promise<void> {
  const given = ctx.get('Content-Type');
  if (given && ctx.is(...MEDIA_TYPES) === false) {
    const message = createMessage('contentTypeUnsupported', MEDIA_TYPES, inspectValue(given));
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message });
  }
  rejectEncoding(ctx);
  const { client } = requestInfo(ctx, config.trustProxy);
  for await (const _ of readChunks(bodyOf(ctx, { config, client, limits }), MAX_BODY_BYTES));
}

const POLICY = STATIC_POLICY.replace("form-action 'none'", "form-action 'self'");

/** @param button sends the form to the URL of the page, which has the token */
function respond(ctx: Koa.Context, status: number, text: Message, button?: Message): void {
  const language = languageOf(ctx);
  const translate = (message: Message) => escapeHtml(message.in(language));
  const form = button
    ? `<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<p><button type="submit">${translate(button)}</button></p>
</form>
`
    : '';
  const page = {
    title: translate(createMessage('unsubscribeTitle')),
    head: '<meta name="robots" content="noindex">\n<link rel="stylesheet" href="/account/account.css">\n',
    body: `<p class="lead" role="status">${translate(text)}</p>\n${form}`,
  };
  ctx.status = status;
  sendPage(ctx, language, page, POLICY);
}
