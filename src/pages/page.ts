/** The frame of pages that are written on the server, in the language of the request. */
import type Koa from 'koa';
import { setLanguage } from '../platform/http/language.js';
import type { Language } from '../platform/messages/message.js';

/** Without scripts and forms; all resources are of this origin. */
export const STATIC_POLICY =
  "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; style-src 'self'; img-src 'self'";

interface Page {
  /** As HTML. */
  readonly title: string;
  readonly heading?: string;
  /** More elements of `head`, as HTML. */
  readonly head?: string;
  /** What follows the heading, as HTML. */
  readonly body: string;
}

export function sendPage(ctx: Koa.Context, language: Language, page: Page, policy = STATIC_POLICY): void {
  setLanguage(ctx, language);
  ctx.set('Content-Security-Policy', policy);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderPage(language, page);
}

function renderPage(language: Language, { title, heading = title, head = '', body }: Page): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/theme.css">
<link rel="stylesheet" href="/front.css">
${head}</head>
<body>
<main>
<h1><img src="/icon.svg" alt="">${heading}</h1>
${body}</main>
</body>
</html>
`;
}
