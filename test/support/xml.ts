/** Parses XML strictly and with namespaces; fails if it is not well-formed. */
import sax from 'sax';

export interface XmlNode {
  /** Including the prefix. */
  name: string;
  /** The namespace URI. */
  namespace: string;
  attributes: Record<string, string>;
  children: XmlNode[];
  text: string;
}

/** @throws Error if the text is not well-formed or has a DOCTYPE, which could define entities */
export function parseXml(document: string): XmlNode {
  const root: XmlNode = { name: '', namespace: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = sax.parser(true, { xmlns: true });
  parser.onerror = (error) => {
    throw error;
  };
  parser.ondoctype = () => {
    throw new Error('a document type is declared');
  };
  parser.onopentag = (tag) => {
    const { name, uri, attributes } = tag as sax.QualifiedTag;
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value]);
    const node = { name, namespace: uri, attributes: Object.fromEntries(values), children: [], text: '' };
    open.at(-1)?.children.push(node);
    open.push(node);
  };
  parser.onclosetag = () => void open.pop();
  const append = (text: string) => {
    const node = open.at(-1);
    if (node) node.text += text;
  };
  parser.ontext = append;
  parser.oncdata = append;
  parser.write(document).close();
  const [only] = root.children;
  if (!only) throw new Error('there is no element');
  return only;
}

export function childrenOf(node: XmlNode, name: string): XmlNode[] {
  return node.children.filter((child) => child.name === name);
}

/** The text of the only child with this name. */
export function textOf(node: XmlNode, name: string): string {
  const [only, ...others] = childrenOf(node, name);
  if (!only || others.length > 0) throw new Error(`${node.name} has ${others.length + (only ? 1 : 0)} of ${name}`);
  return only.text;
}
