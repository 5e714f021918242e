/** Writes XML 1.0: whatever text comes in, what comes out is well-formed. */

/** Markup that is done; everything else is text and gets escaped. */
export class Xml {
  constructor(readonly text: string) {}
}

export type XmlContent = Xml | string | XmlContent[];

/** @param name and the names of the attributes are written as they are: they come from the code */
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

/** XML 1.0 §2.2: these cannot be written down at all, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser would take it for a line feed.
  '\r': '&#13;',
};

function escapeText(text: string): string {
  return text.replace(UNWRITABLE, '').replace(/[&<>"\r]/g, (character) => ESCAPES[character] ?? '');
}
