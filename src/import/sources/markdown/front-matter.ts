/** Reads the front matter of a Markdown file: YAML between `---`, or TOML between `+++`. */
import { parse as parseToml, TomlDate } from 'smol-toml';
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, Scalar } from 'yaml';
import { importLimit } from '../../limit.js';

/** All scalars are strings, as they are written: `1.10` and `2020-01-02` stay what they are. Of TOML, booleans and numbers as text. */
export type Value = string | null | readonly Value[] | { readonly [name: string]: Value };
export type Fields = Readonly<Record<string, Value>>;

export interface MarkdownText {
  /** Null: there is no front matter. */
  fields: Fields | null;
  content: string;
  /** Whether the front matter is not valid YAML, and was read line by line. */
  isRepaired: boolean;
}

/** The front matter cannot be read. The message is a clause with "it". */
export class FrontMatterError extends Error {}

const MAX_LENGTH = importLimit({
  value: 64 * 1024,
  unit: 'characters',
  about: 'The front matter of a Markdown file to import. A file with more is skipped.',
});

/** The parsers need up to a millisecond for each. */
const MAX_MARKS = importLimit({
  value: 5_000,
  about:
    'Lines, quotation marks, brackets, commas and other marks that can begin or end a value, in the front matter of a Markdown file to import and in the settings of a site. A file with more is skipped.',
});

const MAX_DEPTH = importLimit({
  value: 20,
  about: 'Levels of values in the front matter of a Markdown file to import. A file with more is skipped.',
});

const MAX_ALIASES = importLimit({
  value: 100,
  about:
    'Values that references (`*name`) in the front matter of a Markdown file to import stand for. A file with more is skipped.',
});

const START = /^(---|\+\+\+)[ \t]*\r?\n/;
const YAML_END = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|(?![\s\S]))/m;
const TOML_END = /^\+\+\+[ \t]*(?:\r?\n|(?![\s\S]))/m;

/** @throws FrontMatterError */
export function readFrontMatter(text: string): MarkdownText {
  const [start, mark] = START.exec(text) ?? [];
  if (/^\{\s*"[\w-]+"\s*:/.test(text)) throw new FrontMatterError('it is JSON, expected YAML (---) or TOML (+++)');
  if (start === undefined) return { fields: null, content: text, isRepaired: false };
  const rest = text.slice(start.length);
  const end = (mark === '---' ? YAML_END : TOML_END).exec(rest);
  // A rule at the beginning of a text.
  if (!end) return { fields: null, content: text, isRepaired: false };
  const source = rest.slice(0, end.index);
  const content = rest.slice(end.index + end[0].length);
  if (source.length > MAX_LENGTH) throw new FrontMatterError(`it has more than ${MAX_LENGTH} characters`);
  return { ...(mark === '---' ? readYaml(source) : { fields: readToml(source), isRepaired: false }), content };
}

/** The settings of a site: YAML or TOML. @throws FrontMatterError */
export function readSettings(source: string, isToml: boolean): Fields {
  return (isToml ? readToml(source) : readYaml(source).fields) ?? {};
}

function readYaml(source: string): Pick<MarkdownText, 'fields' | 'isRepaired'> {
  expectShallow(source);
  expectFewMarks(source);
  const document = parseDocument(source, {
    schema: 'failsafe',
    logLevel: 'silent',
    uniqueKeys: false,
    // Only for messages, which need quadratic time.
    prettyErrors: false,
  });
  const tag = document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (tag || document.errors.some(({ code }) => code === 'TAG_RESOLVE_FAILED'))
    throw new FrontMatterError('it has a tag (!name), which is not supported');
  const isRepaired = document.errors.length > 0 || (document.contents !== null && !isMap(document.contents));
  if (isRepaired) return { fields: readLines(source), isRepaired };
  return { fields: fieldsOf(valueIn(document.contents, document, { aliases: 0 })), isRepaired };
}

/** Before parsing: a text of nothing but marks takes seconds. */
function expectFewMarks(source: string): void {
  const marks = source.match(/[\n,:"'[\]{}!&*?|>%@`=.]|-[ \t]|\r(?!\n)/g)?.length ?? 0;
  if (marks > MAX_MARKS)
    throw new FrontMatterError(
      `it has ${marks} lines, brackets, commas and other marks, expected at most ${MAX_MARKS}`,
    );
}

/** Before parsing, which is recursive: brackets, and indentation, of which a level has at least one space. */
function expectShallow(source: string): void {
  let depth = 0;
  for (const line of source.split('\n')) {
    for (const character of line) {
      if (character === '[' || character === '{') depth++;
      else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
      if (depth > 10 * MAX_DEPTH)
        throw new FrontMatterError(`its values are nested more than ${MAX_DEPTH} levels deep`);
    }
    if (/^[ ?-]{200}/.test(line))
      throw new FrontMatterError(`its values are nested more than ${MAX_DEPTH} levels deep`);
  }
}

function valueIn(node: unknown, document: Document, used: { aliases: number }, depth = 0): Value {
  if (depth > MAX_DEPTH) throw new FrontMatterError(`its values are nested more than ${MAX_DEPTH} levels deep`);
  // Inside of an alias, each value counts: they multiply.
  if (used.aliases > 0 && ++used.aliases > MAX_ALIASES)
    throw new FrontMatterError(`its references stand for more than ${MAX_ALIASES} values`);
  if (isAlias(node)) {
    used.aliases ||= 1;
    return valueIn(node.resolve(document), document, used, depth + 1);
  }
  if (isSeq(node)) return node.items.map((item) => valueIn(item, document, used, depth + 1));
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => [
      String(isScalar(key) ? key.value : ''),
      valueIn(value, document, used, depth + 1),
    ]);
    return Object.fromEntries(entries) as Fields;
  }
  if (!isScalar(node) || node.value === null) return null;
  const text = String(node.value);
  return node.type === Scalar.PLAIN && /^(?:null|~|)$/i.test(text) ? null : text;
}

/** Programs that write `title: ${title}` do not quote colons and quotes. */
function readLines(source: string): Fields {
  const fields: Record<string, Value> = {};
  let list: string[] | undefined;
  for (const line of source.split(/\r?\n/)) {
    const [, item] = /^\s*-\s+(.*)$/.exec(line) ?? [];
    const [, name, rest = ''] = /^([\w-]+)[ \t]*:(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (item !== undefined) list?.push(unquoted(item));
    if (name === undefined) continue;
    list = undefined;
    const [, items] = /^\[(.*)\]\s*$/.exec(rest) ?? [];
    if (items !== undefined) fields[name] = items.split(',').map(unquoted).filter(Boolean);
    else if (rest.trim() !== '') fields[name] = unquoted(rest);
    else {
      list = [];
      fields[name] = list;
    }
  }
  return fields;
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
}

function readToml(source: string): Fields {
  expectShallow(source);
  expectFewMarks(source);
  try {
    return fieldsOf(plainOf(parseToml(source, { maxDepth: MAX_DEPTH }), 0));
  } catch (error) {
    if (error instanceof FrontMatterError) throw error;
    throw new FrontMatterError(`it is not valid TOML: ${(error as Error).message.split('\n')[0]}`);
  }
}

function plainOf(value: unknown, depth: number): Value {
  if (depth > MAX_DEPTH) throw new FrontMatterError(`its values are nested more than ${MAX_DEPTH} levels deep`);
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => plainOf(item, depth + 1));
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainOf(each, depth + 1)]));
}

/** Names of fields are compared in lower case, and `__proto__` is a name like any other. */
function fieldsOf(value: Value): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const entries = Object.entries(value as Fields).map(([name, each]) => [name.toLowerCase(), each] as const);
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}
