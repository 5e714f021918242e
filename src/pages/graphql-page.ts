/** The page at `/graphql` for browsers. It works without access to other hosts, which Apollo Sandbox needs. */
import type Koa from 'koa';
import type { Config } from '../platform/config/index.js';
import { GRAPHQL_RESPONSE } from '../platform/http/error-response.js';
import { languageOf } from '../platform/http/language.js';
import { createMessage, type Message } from '../platform/messages/message.js';
import { escapeHtml } from '../services/rendering/escape.js';
import { EXPLORER, type PageLink, REFERENCE, renderLinks, SANDBOX, sendPage } from './page.js';

const HOME: PageLink = { path: '/', name: createMessage('graphqlHome'), about: createMessage('graphqlHomeAbout') };

/** Whether a browser opens the URL without a query; not if it has followed the link to Apollo Sandbox. */
export function isVisit(ctx: Koa.Context, { apolloSandbox }: Config): boolean {
  const { query, extensions, sandbox } = ctx.query;
  if (query !== undefined || extensions !== undefined || (apolloSandbox && sandbox !== undefined)) return false;
  return ctx.accepts('application/json', GRAPHQL_RESPONSE, 'text/html') === 'text/html';
}

export function sendGraphQLPage(ctx: Koa.Context, { publicUrl, apolloSandbox }: Config): void {
  const language = languageOf(ctx);
  const translate = (message: Message) => escapeHtml(message.in(language));
  const links = [EXPLORER, ...(apolloSandbox ? [SANDBOX] : []), REFERENCE, HOME];
  const example = `curl ${publicUrl}/graphql -H 'Content-Type: application/json' \\
  -d '{"query": "{ articles(size: 3) { contents { title authorName } } }"}'`;
  ctx.vary('Accept');
  sendPage(ctx, language, {
    title: 'Daybook: GraphQL',
    heading: 'GraphQL',
    body: `<p class="lead">${translate(createMessage('graphqlLead'))}</p>
${renderLinks(links, language)}<h2>${translate(createMessage('graphqlExample'))}</h2>
<pre tabindex="0"><code>${escapeHtml(example)}</code></pre>
`,
  });
}
