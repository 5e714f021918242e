/** Writes XML 1.0. The output is well-formed for any input text. */

/** Finished markup, which is not escaped again. Strings are text and are escaped. */
export class Xml {
  constructor(readonly text: string) {}
}

export type XmlContent = Xml | string | XmlContent[];

/** @param name not escaped, like the attribute names: they must be constants */
export function element(name: string, attributes: Readonly<Record<string, string>>, ...contents: XmlContent[]): Xml {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const inner = contents.map(write).join('');
  const start = `<${name}${written.join('')}`;
  return new Xml(inner === '' ? `${start}/>` : `${start}>${inner}</${name}>`);
}

export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.text}\n`;
}

function write(content: XmlContent): string {
  if (content instanceof Xml) return content.text;
  return typeof content === 'string' ? escapeText(content) : content.map(write).join('');
}

/** Characters that XML 1.0 §2.2 does not allow, not even as character references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Parsers normalize a literal carriage return to a line feed.
  '\r': '&#13;',
};

function escapeText(text: string): string {
  return text.replace(UNWRITABLE, '').replace(/[&<>"\r]/g, (character) => ESCAPES[character] ?? '');
}
