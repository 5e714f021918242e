/** Divides HTML into blocks that stand for themselves, and brings it into a form in which equal renderings are equal texts. */
import { EMBEDDING_ELEMENTS } from '../models/article/text.js';
import { attributeOf, type Element, element, hasElement, isText, type Node, type Text, toHtml } from './html-tree.js';

/** Elements that only divide: readers see a new line. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  'div section article main header footer aside nav address center hgroup form fieldset'.split(' '),
);
/** Elements that show something of another address, which the HTML of articles cannot contain. */
export const EMBEDS: ReadonlySet<string> = new Set(EMBEDDING_ELEMENTS.split('|'));
export const BLOCKS: ReadonlySet<string> = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p hr blockquote pre ul ol li dl dt dd table thead tbody tr th td figure figcaption details ' +
    'summary'
  ).split(' '),
);
const DIVIDING: ReadonlySet<string> = new Set([...BLOCKS, ...WRAPPERS]);
/** Blocks in which text can be beside blocks. */
const MIXED = new Set('li th td dd dt figcaption details summary'.split(' '));

/** Replaces wrappers by paragraphs, and embedded pages and media by links. @returns blocks */
export function toBlocks(nodes: readonly Node[]): Element[] {
  const blocks: Element[] = [];
  let line: Node[] = [];
  const endLine = () => {
    if (line.some(isShown)) blocks.push(element('p', line));
    line = [];
  };
  for (const node of nodes) {
    const isBlock = !isText(node) && (DIVIDING.has(node.name) || hasElement(node.children, DIVIDING));
    if (isBlock) endLine();
    if (isText(node)) line.push(node);
    else if (WRAPPERS.has(node.name)) blocks.push(...toBlocks(node.children));
    else if (EMBEDS.has(node.name)) {
      endLine();
      blocks.push(...toLink(node).map((link) => element('p', [link])));
    } else if (isBlock) blocks.push(withContent(node));
    else line.push(withContent(node));
  }
  endLine();
  return blocks;
}

/** An attribute with the names of the elements that show what the style of an element shows. */
export const MARKS = 'data-marks';

/** Styles become elements, quotations have the marks that browsers add to them. */
export function withMarks(nodes: readonly Node[], depth = 0): Node[] {
  return nodes.flatMap((node): Node[] => {
    if (isText(node)) return [node];
    const { name } = node;
    const marks = attributeOf(node, MARKS)?.split(' ') ?? [];
    const attributes = node.attributes.replace(MARKS_ATTRIBUTE, '');
    const children = marks.reduceRight(
      (content, mark) => marked(content, mark),
      withMarks(node.children, name === 'q' ? depth + 1 : depth),
    );
    if (name === 'span') return children;
    if (name !== 'q') return [element(name, children, attributes)];
    const [open, close] = depth % 2 === 0 ? ['“', '”'] : ['‘', '’'];
    return [{ text: open }, ...children, { text: close }];
  });
}

const MARKS_ATTRIBUTE = new RegExp(` ${MARKS}="[^"]*"`);

/** With the text in an element: in each of the blocks, where there are some. */
function marked(nodes: readonly Node[], mark: string): Node[] {
  const result: Node[] = [];
  let line: Node[] = [];
  const endLine = () => {
    if (line.some(isShown)) result.push(element(mark, line));
    line = [];
  };
  for (const node of nodes) {
    if (isText(node) || !(DIVIDING.has(node.name) || hasElement(node.children, DIVIDING))) line.push(node);
    else {
      endLine();
      result.push(element(node.name, marked(node.children, mark), node.attributes));
    }
  }
  endLine();
  return result;
}

/** Browsers show a space that does not break. */
function isShown(node: Node): boolean {
  return !isText(node) || /[^ \t\r\n\f]/.test(node.text);
}

function withContent(node: Element): Element {
  const { name, attributes, children } = node;
  if (name === 'blockquote') return element(name, toBlocks(children), attributes);
  return element(name, contentOf(node, children), attributes);
}

function contentOf(parent: Element, children: readonly Node[]): Node[] {
  const isAlone = children.filter(isShown).length === 1;
  return children.flatMap((node): Node[] => {
    if (isText(node)) return [node];
    if (EMBEDS.has(node.name)) return toLink(node);
    if (!WRAPPERS.has(node.name)) return [withContent(node)];
    const content = contentOf(parent, node.children);
    if (MIXED.has(parent.name) && !isAlone && !hasElement(content, BLOCKS)) return [element('p', content)];
    return parent.name === 'pre' ? content : [{ text: ' ' }, ...content, { text: ' ' }];
  });
}

function toLink(embed: Element): Node[] {
  const address = addressOf(embed);
  return address ? [element('a', [{ text: address }], ` href="${address}"`)] : [];
}

/** Of an embedded page or medium, or of the first one of its sources; escaped. */
function addressOf(embed: Element): string | undefined {
  const all = [embed, ...embed.children.filter((node): node is Element => !isText(node) && node.name === 'source')];
  return all.map((node) => attributeOf(node, 'src') ?? attributeOf(node, 'data') ?? undefined).find(Boolean);
}

const SAME: Readonly<Record<string, string>> = { b: 'strong', i: 'em', s: 'del' };
/** Inline elements whose spaces at the edges can as well be outside. */
const INLINE = new Set('strong em del u ins mark small sub sup a'.split(' '));
const MERGED = new Set(['strong', 'em', 'del']);

/**
 * The same text for HTML that browsers show alike: with the space that is visible, one name for elements that look alike, and
 * without what is empty. Changes the nodes.
 */
export function normalize(blocks: Node[]): Node[] {
  collapseSpace(blocks, { last: null, isAfterSpace: true });
  return tidy(blocks);
}

interface Line {
  last: Text | null;
  isAfterSpace: boolean;
}

function collapseSpace(nodes: readonly Node[], line: Line): void {
  for (const node of nodes) {
    if (isText(node)) collapseText(node, line);
    else if (node.name === 'br' || BLOCKS.has(node.name)) {
      endLine(line);
      if (node.name === 'pre') continue;
      const inner: Line = { last: null, isAfterSpace: true };
      collapseSpace(node.children, inner);
      endLine(inner);
    } else if (node.name === 'img' || node.name === 'input') {
      line.last = null;
      line.isAfterSpace = false;
    } else collapseSpace(node.children, line);
  }
}

function collapseText(node: Text, line: Line): void {
  node.text = node.text.replace(/[ \t\r\n\f]+/g, ' ');
  if (line.isAfterSpace) node.text = node.text.replace(/^ /, '');
  if (node.text === '') return;
  line.last = node;
  line.isAfterSpace = node.text.endsWith(' ');
}

function endLine(line: Line): void {
  if (line.last) line.last.text = line.last.text.replace(/ $/, '');
  line.last = null;
  line.isAfterSpace = true;
}

function tidy(nodes: readonly Node[]): Node[] {
  const tidied: Node[] = [];
  for (const node of nodes) for (const one of isText(node) ? [node] : tidyElement(node)) append(tidied, one);
  return tidied;
}

function tidyElement(node: Element): Node[] {
  const name = SAME[node.name] ?? node.name;
  const attributes = tidyAttributes(node.attributes);
  if (name === 'pre') return [element(name, tidyCode(node.children), attributes)];
  const children = tidy(node.children);
  if (name === 'thead' || name === 'tbody' || (name === 'a' && attributeOf(node, 'href') === null)) return children;
  if (INLINE.has(name)) return withSpaceOutside(element(name, children, attributes));
  while (BLOCKS.has(name) && isNamed(children.at(-1), 'br')) children.pop();
  if ((name === 'p' || name === 'code' || name === 'kbd') && children.length === 0) return [];
  if (name === 'li') return [element(name, withoutParagraph(children), attributes)];
  if (name === 'figure' && isOneThing(children)) return [element('p', children)];
  return [element(name, children, attributes)];
}

function append(nodes: Node[], node: Node): void {
  const last = nodes.at(-1);
  if (isText(node)) {
    if (last && isText(last)) nodes[nodes.length - 1] = { text: last.text + node.text };
    else if (node.text !== '') nodes.push(node);
  } else if (MERGED.has(node.name) && last && isNamed(last, node.name)) {
    for (const child of node.children) append(last.children, child);
  } else nodes.push(node);
}

function isNamed(node: Node | undefined, name: string): node is Element {
  return node !== undefined && !isText(node) && node.name === name;
}

function withSpaceOutside(node: Element): Node[] {
  const { name, children, attributes } = node;
  const [first, last] = [children[0], children.at(-1)];
  const before = first && isText(first) && first.text.startsWith(' ');
  if (before) first.text = first.text.slice(1);
  const after = last && isText(last) && last.text.endsWith(' ');
  if (after) last.text = last.text.slice(0, -1);
  const rest = children.filter((child) => !isText(child) || child.text !== '');
  const space: Text[] = [{ text: ' ' }];
  return [
    ...(before ? space : []),
    ...(rest.length > 0 ? [element(name, rest, attributes)] : []),
    ...(after ? structuredClone(space) : []),
  ];
}

/** A line break at the beginning or the end of code is not visible. */
function tidyCode(nodes: readonly Node[]): Node[] {
  const [only] = nodes;
  if (nodes.length === 1 && isNamed(only, 'code')) return [{ ...only, children: tidyCode(only.children) }];
  const html = toHtml(nodes).replace(/^\n/, '').replace(/\n$/, '');
  return html === '' ? [] : [{ text: html }];
}

/** An item of a list with one paragraph looks like one with the text of the paragraph. */
function withoutParagraph(children: Node[]): Node[] {
  const [first, second] = children;
  const paragraphs = children.filter((node) => isNamed(node, 'p')).length;
  const isBeforeBlock = second === undefined || (!isText(second) && BLOCKS.has(second.name));
  return isNamed(first, 'p') && paragraphs === 1 && isBeforeBlock
    ? [...first.children, ...children.slice(1)]
    : children;
}

/** A figure with nothing but one image or link looks like a paragraph. */
function isOneThing([only, ...others]: Node[]): boolean {
  return others.length === 0 && (isNamed(only, 'img') || isNamed(only, 'a'));
}

/** Sorted, without those that the sanitizer adds, and with addresses as browsers request them. */
function tidyAttributes(attributes: string): string {
  return [...attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)]
    .map(([, name = '', value = '']) => ({ name, value: /^(?:href|src)$/.test(name) ? toRequested(value) : value }))
    .filter(({ name, value }) => !/^(?:rel|loading)$/.test(name) && (value !== '' || !/^(?:alt|title)$/.test(name)))
    .map(({ name, value }) => ` ${name}="${value}"`)
    .sort()
    .join('');
}

function toRequested(address: string): string {
  try {
    return encodeURI(address.trim()).replaceAll('%25', '%');
  } catch {
    return address;
  }
}
