/** The words that a browser shows of HTML, line by line: for comparing what a product showed its readers with what an import made of it. */
import sax from 'sax';

const { ENTITIES } = sax as unknown as { ENTITIES: Record<string, string | number> };

/** Elements that begin and end a line (HTML Standard, 15.3 "Flow content"). */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table tbody tfoot thead tr ul xmp'
  ).split(' '),
);
/** Elements whose content is text until their end tag (HTML Standard, 13.2.5), and whether browsers show it. */
const RAW_TEXT: Readonly<Record<string, boolean>> = {
  script: false,
  style: false,
  title: false,
  iframe: false,
  noembed: false,
  noframes: false,
  textarea: true,
  xmp: true,
};
/** A quote opens a value only after `=`: browsers tolerate others. */
const TAG = /<(\/?)([a-z][^\s/>]*)((?:\s*=\s*"[^"]*"|\s*=\s*'[^']*'|[^>])*?)>/iy;

/** The lines that a browser shows, with single spaces, without empty ones. */
export function visibleLines(html: string): string[] {
  const lines: string[] = [];
  let line = '';
  let preformatted = 0;
  const endLine = () => {
    const text = line.replace(/[\s\u200b\ufeff]+/gu, ' ').trim();
    if (text !== '') lines.push(text.normalize('NFC'));
    line = '';
  };
  const addText = (text: string, isPreformatted: boolean) => {
    for (const [index, part] of (isPreformatted ? text.split('\n') : [text]).entries()) {
      if (index > 0) endLine();
      line += part;
    }
  };
  for (let at = 0; at < html.length; ) {
    const comment = /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>?|<\/(?![a-z])[^>]*>?/iy;
    comment.lastIndex = TAG.lastIndex = at;
    const skipped = html[at] === '<' ? comment.exec(html) : null;
    const tag = skipped === null && html[at] === '<' ? TAG.exec(html) : null;
    if (skipped) at += skipped[0].length;
    else if (tag) {
      at += tag[0].length;
      const [, slash, written = ''] = tag;
      const name = written.toLowerCase();
      if (BLOCKS.has(name)) endLine();
      if (name === 'td' || name === 'th') line += ' ';
      if (name === 'q') line += slash ? '”' : '“';
      if (name === 'pre') preformatted = Math.max(0, preformatted + (slash ? -1 : 1));
      if (slash || RAW_TEXT[name] === undefined) continue;
      const end = html.toLowerCase().indexOf(`</${name}`, at);
      const text = html.slice(at, end === -1 ? undefined : end);
      if (RAW_TEXT[name]) addText(decode(text), true);
      at += text.length;
    } else {
      const next = html.indexOf('<', at + 1);
      const text = html.slice(at, next === -1 ? undefined : next);
      addText(decode(text), preformatted > 0);
      at += text.length;
    }
  }
  endLine();
  return lines;
}

export function visibleWords(html: string): string[] {
  return visibleLines(html).flatMap((line) => line.split(' '));
}

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|([a-z][a-z0-9]*));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) {
      const character = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
      return character === undefined
        ? entity
        : typeof character === 'number'
          ? String.fromCharCode(character)
          : character;
    }
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
