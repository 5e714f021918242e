/**
 * What WordPress shows of the texts in an export, written after its documentation and not after the import: of the classic editor
 * (developer.wordpress.org/reference/functions/wpautop), of the block editor (do_blocks), of its shortcodes (the Shortcode API) and of comments.
 */
import { readFile } from 'node:fs/promises';
import sax from 'sax';

export interface ShownText {
  /** The id of the post. */
  key: string;
  html: string;
  /** By the ids of the comments. */
  comments: ReadonlyMap<string, string>;
}

/** The posts of an export that is well-formed. */
export async function shownByWordPress(path: string): Promise<ShownText[]> {
  const posts: ShownText[] = [];
  const parser = sax.parser(true);
  const texts = new Map<string, string>();
  let name = '';
  let comments = new Map<string, string>();
  const addComment = (id: string, text: string) => {
    if (!comments.has(id)) comments.set(id, withAddresses(withLineBreaks(text)));
  };
  const add = (text: string) => texts.set(name, (texts.get(name) ?? '') + text);
  parser.onopentag = (tag) => {
    name = tag.name;
    if (name === 'item') {
      texts.clear();
      comments = new Map();
    }
    if (name === 'wp:comment') for (const field of ['id', 'content']) texts.delete(`wp:comment_${field}`);
  };
  parser.ontext = add;
  parser.oncdata = add;
  parser.onclosetag = (closed) => {
    name = '';
    const text = (field: string) => texts.get(field)?.trim() ?? '';
    if (closed === 'wp:comment') addComment(text('wp:comment_id'), text('wp:comment_content'));
    if (closed === 'item')
      posts.push({ key: text('wp:post_id'), html: articleHtml(text('content:encoded')), comments });
  };
  parser.write(await readFile(path, 'utf8')).close();
  return posts;
}

/** Blocks as they are; what is outside of them as the classic editor. */
export function articleHtml(content: string): string {
  const text = content.replace(/\r\n?/g, '\n');
  if (!/<!--\s+wp:/.test(text)) return classicHtml(text);
  return withShortcodes(text);
}

/** `wpautop` makes a line break of each line end, except in tags, comments and these elements; empty lines are paragraphs. */
export function classicHtml(text: string): string {
  const codes: string[] = [];
  const withoutCode = text.replace(CODE, (whole, isShown: string, _name: string, code: string) => {
    if (isShown) return whole;
    codes.push(`<pre>${/[<>]/.test(code) ? escaped(code) : code}</pre>`);
    return `<!--code ${codes.length - 1}-->`;
  });
  const html = withLineBreaks(withShortcodes(withoutCode));
  return html.replace(/<!--code (\d+)-->/g, (_, index) => codes[Number(index)] ?? '');
}

export function withLineBreaks(html: string): string {
  const kept =
    /<(pre|script|style|svg)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<\/?[a-z](?:=\s*"[^"]*"|=\s*'[^']*'|[^>])*>/gi;
  let from = 0;
  let result = '';
  for (const { 0: whole, index } of html.matchAll(kept)) {
    result += html.slice(from, index).replaceAll('\n', '<br>') + whole;
    from = index + whole.length;
  }
  // None after the tags of tables: browsers would show them before the table.
  return (result + html.slice(from).replaceAll('\n', '<br>')).replace(AFTER_CELL, '$1');
}

const AFTER_CELL = /(<\/?(?:table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th)\b[^>]*>)(?:\s*<br>)+/gi;

/** Comments are plain text here: the address of a link follows its text. */
function withAddresses(html: string): string {
  return html.replace(/<a\b[^>]*?\shref="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2 ($1)');
}

/** Of SyntaxHighlighter Evolved and WordPress.com: the content is code; `[[code]]` shows the shortcode. */
const CODE = /(\[?)\[(code|sourcecode|php|python|bash|html|css|js)\b[^\]]*\]([\s\S]*?)\[\/\2\]/g;

function escaped(code: string): string {
  return code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Players and pictures show no words. */
function withShortcodes(text: string): string {
  return text
    .replace(
      /(?<!\[)\[(?:wp_)?caption\b([^\]]*)\]([\s\S]*?)\[\/(?:wp_)?caption\]/g,
      (_, attributes: string, content: string) => {
        const [, image = '', words = ''] =
          /^\s*((?:<a [^>]+>\s*)?<img [^>]+>(?:\s*<\/a>)?)?([\s\S]*)$/i.exec(content) ?? [];
        const caption = /\bcaption=(?:"([^"]*)"|'([^']*)')/.exec(attributes);
        return `<figure>${image}<figcaption>${caption?.[1] ?? caption?.[2] ?? words}</figcaption></figure>`;
      },
    )
    .replace(
      /(?<!\[)\[(?:gallery|audio|video|youtube|vimeo|gist)\b[^\]]*\](?:([^[]*)\[\/(?:audio|video|gist)\])?/g,
      '<hr>',
    )
    .replace(/(?<!\[)\[embed\b[^\]]*\]([^[]*)\[\/embed\]/g, '<hr>')
    .replace(/(?<!\[)\[latex\b[^\]]*\]([^[]*)\[\/latex\]/g, '$1')
    .replace(/\[(\[\/?(?:gallery|caption|audio|video|embed|code|sourcecode)\b[^\]]*\])\]/g, '$1')
    .replace(/^\s*https?:\/\/[^\s<>"]+\s*$/gm, '<hr>');
}
