/** Links to the pages of the service. */
import { createMessage, type Language, type Message } from '../platform/messages/message.js';
import { escapeHtml } from '../services/rendering/escape.js';

export interface FrontPageLink {
  readonly path: string;
  readonly name: Message | string;
  readonly about: Message;
}

export const EXPLORER: FrontPageLink = {
  path: '/graphiql',
  name: createMessage('frontExplorer'),
  about: createMessage('frontExplorerAbout'),
};
export const REFERENCE: FrontPageLink = {
  path: '/docs',
  name: createMessage('frontReference'),
  about: createMessage('frontReferenceAbout'),
};
/** Apollo's page uses its own URL as that of the API: a parameter selects it, which the API ignores. */
export const SANDBOX: FrontPageLink = {
  path: '/graphql?sandbox',
  name: 'Apollo Sandbox',
  about: createMessage('frontSandboxAbout'),
};

export function renderLinks(links: readonly FrontPageLink[], language: Language): string {
  const items = links.map(({ path, name, about }) => {
    const title = typeof name === 'string' ? name : name.in(language);
    return `<li><a href="${path}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about.in(language))}</span></a></li>\n`;
  });
  return `<ul class="links">\n${items.join('')}</ul>\n`;
}
