/** A tree of HTML as sanitize-html writes it. */
import { TOKEN } from '../services/rendering/html-tokens.js';

export interface Text {
  /** Escaped. */
  text: string;
}

export interface Element {
  name: string;
  /** Escaped, each with a space before it. */
  attributes: string;
  children: Node[];
}

export type Node = Text | Element;

const VOID = new Set(['br', 'hr', 'img', 'input', 'embed', 'source']);
/** Texts that are read have up to ten levels. */
const MAX_DEPTH = 100;

export function isText(node: Node): node is Text {
  return 'text' in node;
}

export function element(name: string, children: Node[], attributes = ''): Element {
  return { name, attributes, children };
}

/** @returns null if elements are nested more than 100 levels deep */
export function parseHtml(html: string): Node[] | null {
  const root = element('', []);
  const open = [root];
  for (const [token, slash, name, attributes = ''] of html.matchAll(TOKEN)) {
    const parent = open.at(-1) ?? root;
    if (name === undefined) parent.children.push({ text: token });
    else if (slash === '/') {
      if (open.length > 1 && parent.name === name) open.pop();
    } else {
      const child = element(name, [], attributes.replace(/ ?\/$/, ''));
      parent.children.push(child);
      if (!VOID.has(name)) open.push(child);
      if (open.length > MAX_DEPTH) return null;
    }
  }
  return root.children;
}

export function toHtml(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.text;
      const { name, attributes, children } = node;
      return `<${name}${attributes}>${VOID.has(name) ? '' : `${toHtml(children)}</${name}>`}`;
    })
    .join('');
}

/** @returns the escaped value of an attribute, null without it */
export function attributeOf({ attributes }: Element, name: string): string | null {
  return new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? null;
}

/** Whether an element of one of the names is in the nodes, at any depth. */
export function hasElement(nodes: readonly Node[], names: ReadonlySet<string>): boolean {
  return nodes.some((node) => !isText(node) && (names.has(node.name) || hasElement(node.children, names)));
}
