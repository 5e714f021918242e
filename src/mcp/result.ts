/** Results of tools, as a text and as data, and errors as texts with which a model can correct its call. */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { ErrorKey } from '../platform/error-keys.js';
import type { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { errorsReturned, limitError } from '../platform/observability/metrics/error.js';

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [key: string]: unknown;
}

const MAX_RESULT_BYTES = fixedLimit({
  area: 'Reading',
  value: 1024 * 1024,
  unit: 'bytes',
  error: 'QUERY_TOO_COMPLEX',
  about: 'Result of a [tool for agents](agents.md): its text and its data.',
});

/** The result as JSON. One that is too large for a model is an error, which is shared as a result is. */
export function resultText(data: Record<string, unknown>): string {
  const text = JSON.stringify({ content: [{ type: 'text', text: textOf(data) }], structuredContent: data });
  if (Buffer.byteLength(text) <= MAX_RESULT_BYTES) return text;
  const message = createMessage('responseTooLarge', MAX_RESULT_BYTES / 1024 / 1024);
  return JSON.stringify(errorResult(limitError('bytes of a tool result', 'QUERY_TOO_COMPLEX', { message })));
}

/** What to do next, where the message is for a person who reads the API reference. */
const ADVICE: Readonly<Partial<Record<ErrorKey, string>>> = {
  UNAUTHENTICATED:
    'This connection has no valid token. Ask the user to create an API token, and to configure it for this server as the header "Authorization: Bearer dbk_…".',
  TOKEN_EXPIRED: 'Ask the user to create a new API token, and to configure it for this server.',
  SCOPE_MISSING:
    'Do not try another way. Ask the user to do this themselves, or to configure an API token that has the scope for this server.',
  ARTICLE_NOT_FOUND: 'Take articleId or slug from a result of search_articles or list_articles.',
  ARTICLE_FORBIDDEN: 'Articles of the user are in list_articles with mine = true.',
  COMMENT_NOT_FOUND: 'Take commentId from a result of read_comments or list_received_comments.',
  DRAFT_NOT_FOUND: 'The drafts of the user are in list_drafts.',
  CATEGORY_NOT_FOUND:
    'Ask the user for the name of one of their categories, take it from one of their articles in list_articles, or leave category out.',
  IMAGE_NOT_FOUND: 'Ask the user for the id of an image that they have uploaded, or leave imageId out.',
  REPLY_TOO_DEEP: 'Give the parentId of the comment that you answer as commentId.',
  PRECONDITION_FAILED:
    'Call read_draft, make your change in the text that it returns, and save with its revision as ifRevision.',
  REVISION_CONFLICT:
    'Call read_article and read_draft, merge both texts, and save the draft with the revision of the article as baseRevision. Then ask the user again.',
  IDEMPOTENCY_KEY_REUSED: 'Give a new requestId.',
  QUERY_TOO_COMPLEX: 'Give a smaller size, and read the following pages too.',
  SLUG_TAKEN: 'Save the draft with another slug, or with an empty one to get one from the title.',
};

export function errorResult(error: AppError): ToolResult {
  const { key, clientMessage, retryAfter } = error;
  errorsReturned.inc({ api: 'mcp', key });
  const advice = ADVICE[key];
  const lines = [
    `${key}: ${clientMessage.in('en')}`,
    ...error.errorsIn('en').map(({ field, message }) => `- ${field}: ${message}`),
    ...(advice === undefined ? [] : [advice]),
    ...(retryAfter === undefined ? [] : [`Try again in ${retryAfter} seconds.`]),
  ];
  return { content: [{ type: 'text', text: lines.map((line) => indentBreaks(line, '')).join('\n') }], isError: true };
}

type Fields = Readonly<Record<string, unknown>>;

function textOf(data: Fields): string {
  const { content, ...others } = data;
  const text = linesOf(others, '').join('\n');
  return typeof content === 'string' ? `${text}\n\n${content}` : text;
}

/** What a program may show as the end of a line: all control characters except tabs, and the separators of Unicode. */
const BREAK = /\r\n|[^\P{Cc}\t]|[\u2028\u2029]/u;

/** The lines of a text that follow are indented, so that they do not look like further values. */
function indentBreaks(text: string, indent: string): string {
  return text.split(BREAK).join(`\n${indent}  `);
}

/** Without values that are null. */
function linesOf(fields: Fields, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return [];
    if (Array.isArray(value)) return listOf(name, value, indent);
    if (typeof value === 'object') return [`${indent}${name}:`, ...linesOf(value as Fields, `${indent}  `)];
    return [`${indent}${name}: ${indentBreaks(String(value), indent)}`];
  });
}

function listOf(name: string, values: readonly unknown[], indent: string): string[] {
  if (!values.some((value) => typeof value === 'object'))
    return [`${indent}${name}: ${indentBreaks(values.join(', ') || 'none', indent)}`];
  const items = values.map((value) => {
    const [first = '', ...more] = linesOf(value as Fields, `${indent}  `);
    return [`${indent}- ${first.trimStart()}`, ...more];
  });
  return [`${indent}${name}:`, ...items.flat()];
}
