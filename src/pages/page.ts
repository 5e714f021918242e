/** The frame of pages that are written on the server, in the language of the request, and links to pages. */
import type Koa from 'koa';
import { setLanguage } from '../platform/http/language.js';
import { createMessage, type Language, type Message } from '../platform/messages/message.js';
import { escapeHtml } from '../services/rendering/escape.js';

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

export interface PageLink {
  /** Or a URL. */
  readonly path: string;
  readonly name: Message | string;
  readonly about: Message;
}

export const EXPLORER: PageLink = {
  path: '/graphiql',
  name: createMessage('frontExplorer'),
  about: createMessage('frontExplorerAbout'),
};
export const REFERENCE: PageLink = {
  path: '/docs',
  name: createMessage('frontReference'),
  about: createMessage('frontReferenceAbout'),
};
/** Apollo's page uses its own URL as that of the API: a parameter selects it, which the API ignores. */
export const SANDBOX: PageLink = {
  path: '/graphql?sandbox',
  name: 'Apollo Sandbox',
  about: createMessage('frontSandboxAbout'),
};

export function renderLinks(links: readonly PageLink[], language: Language): string {
  const items = links.map(({ path, name, about }) => {
    const title = typeof name === 'string' ? name : name.in(language);
    return `<li><a href="${escapeHtml(path)}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about.in(language))}</span></a></li>\n`;
  });
  return `<ul class="links">\n${items.join('')}</ul>\n`;
}
