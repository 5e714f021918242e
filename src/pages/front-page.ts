/** The HTML of the front page. */
import { articleUrl } from '../feeds/feed.js';
import type { Config } from '../platform/config/index.js';
import { createMessage, type Language, type Message } from '../platform/messages/message.js';
import { VERSION } from '../platform/version.js';
import { escapeHtml } from '../services/rendering/escape.js';
import { EXPLORER, type PageLink, REFERENCE, renderLinks, SANDBOX } from './page.js';

export interface Journal {
  readonly articles: { readonly contents: readonly NewestArticle[]; readonly pagination: Total };
  readonly tags: { readonly pagination: Total };
}

interface NewestArticle {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  /** A language tag. */
  readonly language: string | null;
  readonly authorName: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly commentCount: number;
}

interface Total {
  readonly totalElements: number;
}

const OTHER_DOORS: readonly PageLink[] = [
  { path: '/openapi.json', name: 'openapi.json', about: createMessage('frontDescriptionAbout') },
  { path: '/feed.xml', name: createMessage('frontFeed'), about: createMessage('frontFeedAbout') },
  { path: '/sitemap.xml', name: createMessage('frontSitemap'), about: createMessage('frontSitemapAbout') },
];

const LLMS_TXT: PageLink = { path: '/llms.txt', name: 'llms.txt', about: createMessage('frontLlmsAbout') };

/** @param journal null if it cannot be read */
export function frontPage(config: Config, language: Language, journal: Journal | null) {
  const translate = (message: Message) => escapeHtml(message.in(language));
  const { url, title: name, hasFrontPage } = config.site;
  const links = [
    ...(hasFrontPage ? [{ path: url, name, about: createMessage('frontSiteAbout') }] : []),
    ...[EXPLORER, REFERENCE, ...(config.apolloSandbox ? [SANDBOX] : []), ...OTHER_DOORS],
    ...(config.llmsTxt ? [LLMS_TXT] : []),
  ];
  const title = translate(createMessage('frontNewest'));
  return {
    title: 'Daybook',
    head: `<meta name="description" content="${translate(createMessage('frontLead'))}">
<link rel="alternate" type="application/rss+xml" title="${title}" href="/feed.xml">
`,
    body: `<p class="lead">${translate(createMessage('frontLead'))}</p>
${renderLinks(links, language)}<h2>${title}</h2>
${journal ? renderJournal(config, language, journal) : `<p>${translate(createMessage('frontUnreadable'))}</p>\n`}\
${renderRequests(config, language, journal?.articles.contents[0])}\
<footer>Daybook ${VERSION} · <a href="/healthz">${translate(createMessage('frontLiveness'))}</a> · \
<a href="/readyz">${translate(createMessage('frontReadiness'))}</a></footer>
`,
  };
}

function renderJournal(config: Config, language: Language, { articles, tags }: Journal): string {
  const translate = (message: Message) => escapeHtml(message.in(language));
  if (articles.contents.length === 0) {
    return `<p>${translate(createMessage('frontEmpty'))}</p>\n${code('npx daybook seed\nnpx daybook import export.xml')}`;
  }
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const items = articles.contents.map(
    ({ id, slug, title, language: ofTitle, authorName, createdAt, commentCount }) =>
      `<li><a href="${escapeHtml(articleUrl(config, { id, slug }))}"><bdi${ofTitle === null ? '' : ` lang="${ofTitle}"`}>${escapeHtml(title)}</bdi></a>
<small><bdi>${escapeHtml(authorName)}</bdi> · <time datetime="${createdAt}">${dates.format(new Date(createdAt))}</time> · \
${translate(createMessage('frontComments', commentCount))}</small></li>\n`,
  );
  const counts = createMessage('frontCounts', articles.pagination.totalElements, tags.pagination.totalElements);
  return `<ol class="articles">\n${items.join('')}</ol>\n<p class="counts">${translate(counts)}</p>\n`;
}

/** Requests to try, in this order. The account is that of the examples in the README and the explorer. */
function renderRequests({ publicUrl, mcp }: Config, language: Language, newest: NewestArticle | undefined): string {
  const translate = (message: Message) => escapeHtml(message.in(language));
  const json = `-H 'Content-Type: application/json'`;
  const reading = `curl '${publicUrl}/api/articles?size=3'
${newest ? `curl ${publicUrl}/api/articles/${newest.id}/comments` : `curl ${publicUrl}/api/tags`}
curl ${publicUrl}/graphql ${json} \\
  -d '{"query": "{ articles(size: 3) { contents { title author { nickname } } } }"}'`;
  const writing = `curl ${publicUrl}/api/auth/register ${json} \\
  -d '{"email": "mina@example.org", "password": "an owl in the attic",
       "memberName": "Mina"}'

TOKEN=$(curl -s ${publicUrl}/api/auth/login ${json} \\
  -d '{"email": "mina@example.org", "password": "an owl in the attic"}' \\
  | sed 's/.*"accessToken":"\\([^"]*\\).*/\\1/')

curl ${publicUrl}/api/articles -H "Authorization: Bearer $TOKEN" \\
  ${json} \\
  -d '{"title": "Owls", "content": "There is one in the attic.", "tags": ["owls"]}'`;
  const connecting = `API_TOKEN=$(npx daybook token create mina@example.org --scope read drafts)
claude mcp add --transport http journal ${publicUrl}/mcp \\
  --header "Authorization: Bearer $API_TOKEN"`;
  const following = `curl '${publicUrl}/api/changes?since=latest'
npx daybook webhook add "$WEBHOOK_URL" \\
  --event article.created article.updated article.removed`;
  const sections = [
    [createMessage('frontRead'), reading],
    [createMessage('frontWrite'), writing],
    ...(mcp ? ([[createMessage('frontAgent'), connecting]] as const) : []),
    [createMessage('frontFollow'), following],
  ] as const;
  return sections.map(([heading, requests]) => `<h2>${translate(heading)}</h2>\n${code(requests)}`).join('');
}

/** Can be scrolled with the keyboard: its lines do not wrap. */
function code(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
}
