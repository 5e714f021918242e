/** Renders an email as plain text and as HTML: without remote content, for light and dark mode. */
import type { Config } from '../../platform/config/index.js';
import { createMessage, type Language, type Message } from '../../platform/messages/message.js';
import { escapeHtml } from '../rendering/escape.js';
import type { MailContent, Paragraph } from './templates.js';

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

/** @param unsubscribeUrl null for emails that cannot be disabled */
export function renderMail(
  { site }: Pick<Config, 'site'>,
  content: MailContent,
  language: Language,
  unsubscribeUrl: string | null = null,
): RenderedMail {
  const translate = (message: Message) => message.in(language);
  const footer = translate(createMessage('mailFooter', site.title));
  const unsubscribe = unsubscribeUrl && { label: translate(createMessage('mailUnsubscribe')), url: unsubscribeUrl };
  const button = content.button && { label: translate(content.button.label), url: content.button.url };
  const subject = translate(content.subject);
  const paragraphs = content.paragraphs.map(({ lines, url }) => ({ lines: lines.map(translate), url }));
  return {
    subject,
    text: asText({ paragraphs, button, footer, unsubscribe }),
    html: asHtml(subject, { paragraphs, button, footer, unsubscribe }, language),
  };
}

interface Link {
  label: string;
  url: string;
}

/** The content in one language. */
interface Parts {
  paragraphs: (Pick<Paragraph, 'url'> & { lines: string[] })[];
  button: Link | undefined;
  footer: string;
  unsubscribe: Link | null | '';
}

function asText({ paragraphs, button, footer, unsubscribe }: Parts): string {
  const blocks = [
    ...paragraphs.map(({ lines, url }) => [...lines, ...(url ? [url] : [])].join('\n')),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    // The separator of a signature (RFC 3676 §4.3).
    ['-- ', footer, ...(unsubscribe ? [`${unsubscribe.label}: ${unsubscribe.url}`] : [])].join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** The button repeats its colors, because some clients remove the style sheet. */
const BUTTON_STYLE =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#0b57d0;color:#ffffff;text-decoration:none';

const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; background: #ffffff; color: #1f2328; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main, footer { max-width: 560px; margin: 0 auto; padding: 16px 24px; }
h1 { font-size: 20px; }
a { color: #0b57d0; }
.small, footer { font-size: 13px; color: #57606a; }
@media (prefers-color-scheme: dark) {
  body { background: #16181c; color: #e6e6e6; }
  a { color: #8ab4f8; }
  a.button { background: #8ab4f8 !important; color: #10131a !important; }
  .small, footer { color: #a8b0ba; }
}`;

function asHtml(subject: string, { paragraphs, button, footer, unsubscribe }: Parts, language: Language): string {
  const title = escapeHtml(subject);
  const body = paragraphs.map(({ lines, url }) => {
    const text = lines.map(escapeHtml).join('<br>\n');
    return `<p>${url ? anchor(url, text) : text}</p>`;
  });
  const action = button ? [buttonHtml(button, language)] : [];
  const end = unsubscribe ? `<br>\n${anchor(unsubscribe.url, escapeHtml(unsubscribe.label))}` : '';
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${[...body, ...action].join('\n')}
</main>
<footer><p>${escapeHtml(footer)}${end}</p></footer>
</body>
</html>
`;
}

function buttonHtml({ label, url }: Link, language: Language): string {
  const fallback = escapeHtml(createMessage('mailLinkFallback').in(language));
  return `<p><a class="button" style="${BUTTON_STYLE}" href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>
<p class="small">${fallback}<br>
${anchor(url, escapeHtml(url))}</p>`;
}

function anchor(url: string, html: string): string {
  return `<a href="${escapeHtml(url)}">${html}</a>`;
}
