/** How turndown writes each element as Markdown. What is not rendered like the HTML is rejected by the comparison, not here. */
import TurndownService from 'turndown';

/** The part of the DOM of turndown that the rules read. */
interface DomNode {
  nodeName: string;
  nodeType: number;
  parentNode: DomNode | null;
  previousSibling: DomNode | null;
  nextSibling: DomNode | null;
  textContent: string;
  outerHTML: string;
  childNodes: ArrayLike<DomNode>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
}

const childrenOf = (node: DomNode, ...names: string[]) =>
  Array.from(node.childNodes).filter(({ nodeName }) => names.includes(nodeName));

/** @param emphasis whether emphasis is written with asterisks; else with tags */
export function markdownWriter(emphasis: 'asterisks' | 'tags'): TurndownService {
  const writer = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    codeBlockStyle: 'fenced',
    keepReplacement: (_content: string, node: DomNode) => `\n\n${node.outerHTML}\n\n`,
  });
  writer.escape = escapeText;
  const withTag = (content: string, node: DomNode) => {
    const name = node.nodeName.toLowerCase();
    return content === '' ? '' : `<${name}>${content}</${name}>`;
  };
  const withMark = (mark: string) => (content: string, node: DomNode) =>
    emphasis === 'asterisks' && canFlank(content, node) ? `${mark}${content}${mark}` : withTag(content, node);
  return writer
    .addRule('strong', { filter: 'strong', replacement: withMark('**') })
    .addRule('del', { filter: 'del', replacement: withMark('~~') })
    .addRule('em', {
      filter: 'em',
      // Of `***` a parser cannot tell which one is outside.
      replacement: (content: string, node: DomNode) =>
        withMark(/^\*\*|\*\*$/.test(content) || node.parentNode?.nodeName === 'STRONG' ? '_' : '*')(content, node),
    })
    .addRule('inline', { filter: ['u', 'ins', 'mark', 'small', 'sub', 'sup', 'kbd'], replacement: withTag })
    .addRule('ruby', { filter: ['ruby'], replacement: (_content: string, node: DomNode) => node.outerHTML })
    .addRule('break', {
      filter: 'br',
      replacement: (_content: string, { parentNode }: DomNode) =>
        /^(?:H\d|T[HD])$/.test(parentNode?.nodeName ?? '') ? '<br>' : '\\\n',
    })
    .addRule('heading', {
      filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
      replacement: (content: string, { nodeName }: DomNode) =>
        `\n\n${'#'.repeat(Number(nodeName[1]))} ${content.replace(/#$/, '\\#')}\n\n`,
    })
    .addRule('quote', {
      filter: 'blockquote',
      replacement: (content: string) =>
        `\n\n${content.trim().replace(/^(?=(.?))/gm, (_, next) => (next ? '> ' : '>'))}\n\n`,
    })
    .addRule('link', { filter: 'a', replacement: toLink })
    .addRule('image', { filter: 'img', replacement: toImage })
    .addRule('task', {
      filter: 'input',
      replacement: (_content: string, node: DomNode) => (node.hasAttribute('checked') ? '[x]' : '[ ]'),
    })
    .addRule('list', {
      filter: ['ul', 'ol'],
      replacement: (content: string, { parentNode }: DomNode) =>
        parentNode?.nodeName === 'LI' ? `\n${content.trim()}\n` : `\n\n${content.trim()}\n\n`,
    })
    .addRule('item', { filter: 'li', replacement: toItem })
    .addRule('cell', { filter: ['th', 'td'], replacement: (content: string) => `| ${content.replaceAll('|', '\\|')} ` })
    .addRule('row', { filter: 'tr', replacement: (content: string) => `\n${content}|\n` })
    .addRule('table', { filter: 'table', replacement: toTable })
    .keep(['figure', 'dl', 'details']);
}

/**
 * Characters that would be markup. Texts are collapsed to one line; one that begins inside of a line is escaped as at its beginning,
 * which is not wrong.
 */
function escapeText(text: string): string {
  return text
    .replace(/[\\`*[\]~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/<(?=[a-z/!?])|&(?=#?[a-z0-9]+;)/gi, '\\$&')
    .replace(/^(?:[-+](?=\s|$)|-+$|=+$|>|#{1,6}(?=\s|$))/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/!$/, '\\!')
    .replace(/\b(https?|ftp):\/\//gi, '$1:\\//')
    .replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}\\.`)
    .replace(/(?<=[\w.+-])@(?=\w)/g, '\\@');
}

const isWord = (character: string) => /[^\p{P}\p{S}\s]/u.test(character);

/**
 * Whether asterisks around the content begin and end emphasis (CommonMark: flanking delimiter runs). In `**글(文)**은` the last ones do
 * not, because a punctuation mark is before them and a letter after them.
 */
function canFlank(content: string, { previousSibling, nextSibling }: DomNode): boolean {
  const [first = ' '] = content;
  const last = content.at(-1) ?? ' ';
  const before = previousSibling?.textContent.at(-1) ?? ' ';
  const after = nextSibling?.textContent[0] ?? ' ';
  return (isWord(first) || !isWord(before)) && (isWord(last) || !isWord(after));
}

function toAddress(address: string): string {
  return /[\s()<>]/.test(address) ? `<${address.replace(/[<>\\]/g, '\\$&')}>` : address.replace(/[\\]/g, '\\$&');
}

function toTitle(node: DomNode): string {
  const title = node.getAttribute('title');
  return title ? ` "${title.replace(/["\\]/g, '\\$&')}"` : '';
}

function toLink(content: string, node: DomNode): string {
  const address = node.getAttribute('href') ?? '';
  const isPlain =
    node.textContent === address && /^https?:\/\/[^\s<>\\]+$/.test(address) && !node.getAttribute('title');
  if (isPlain && node.childNodes.length === 1) return `<${address}>`;
  return `[${content.replaceAll(':\\//', '://')}](${toAddress(address)}${toTitle(node)})`;
}

function toImage(_content: string, node: DomNode): string {
  if (node.hasAttribute('width') || node.hasAttribute('height')) return node.outerHTML;
  const alternative = (node.getAttribute('alt') ?? '').replace(/[\\[\]`*_<&~]/g, '\\$&');
  return `![${alternative}](${toAddress(node.getAttribute('src') ?? '')}${toTitle(node)})`;
}

function toItem(content: string, node: DomNode): string {
  const list = node.parentNode;
  const { numbers, isLoose } = list ? itemsOf(list) : { numbers: new Map(), isLoose: false };
  const marker = list?.nodeName === 'OL' ? `${numbers.get(node)}. ` : '- ';
  const indented = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
  const end = isLoose ? '\n\n' : '\n';
  return `${end}${marker}${indented}${end}`;
}

interface Items {
  numbers: ReadonlyMap<DomNode, number>;
  isLoose: boolean;
}

const itemsByList = new WeakMap<DomNode, Items>();

/** Read once for each list, since lists can have thousands of items. */
function itemsOf(list: DomNode): Items {
  const known = itemsByList.get(list);
  if (known) return known;
  const items = childrenOf(list, 'LI');
  const start = Number(list.getAttribute('start') ?? 1);
  const found = {
    numbers: new Map(items.map((item, at) => [item, start + at])),
    isLoose: items.some((item) => childrenOf(item, 'P').length > 0),
  };
  itemsByList.set(list, found);
  return found;
}

const RULES: Readonly<Record<string, string>> = { left: ':--', center: ':-:', right: '--:' };

function toTable(content: string, node: DomNode): string {
  const [head = '', ...rows] = content.split('\n').filter((line) => line !== '');
  const [firstRow] = childrenOf(node, 'TR', 'TBODY', 'THEAD').flatMap((part) =>
    part.nodeName === 'TR' ? part : childrenOf(part, 'TR'),
  );
  const cells = firstRow ? childrenOf(firstRow, 'TH') : [];
  const rule = cells.map((cell) => `| ${RULES[cell.getAttribute('align') ?? ''] ?? '---'} `).join('');
  return `\n\n${[head, `${rule}|`, ...rows].join('\n')}\n\n`;
}
