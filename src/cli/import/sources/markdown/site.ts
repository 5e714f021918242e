/** Which program a folder of Markdown files belongs to, which of its files are texts, and how they refer to other files. */
import { posix } from 'node:path';
import { FileError } from '../../../subcommand.js';
import { EntryError, type InputEntry } from '../../input/entries.js';
import { type Input, readText } from '../../input.js';
import { originOf } from '../../source.js';
import { readSettings } from './front-matter.js';

export type SiteKind = 'daybook' | 'hugo' | 'jekyll' | 'obsidian' | 'plain';

export interface Site {
  kind: SiteKind;
  input: Input;
  /** The folder of the site in the input, with a final `/`; empty if it is the input itself. */
  root: string;
  /** Null if the settings have none. */
  url: string | null;
  /** By their names, in lower case, for links of Obsidian: they have no folder. */
  byName: ReadonlyMap<string, InputEntry>;
  /** Whether an export of this service has the contents of hidden comments. */
  hasHidden: boolean;
}

export const MARKDOWN = /\.(?:md|markdown|mdown|mkd|mdx)$/i;
export const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)$/i;
/** Other formats of texts that Hugo and Jekyll read. */
const OTHER_TEXT = /\.(?:adoc|asciidoc|org|rst|textile|pandoc|ipynb)$/i;

const OWN_FOLDERS = /^(?:content|_posts|_drafts|posts|articles|private|drafts)$/;
const SETTINGS = ['hugo', 'config', 'config/_default/hugo', 'config/_default/config', '_config'];

export async function siteOf(input: Input): Promise<Site> {
  const paths = [...input.entries()].map(({ path }) => path);
  const root = rootOf(paths);
  const kind = kindOf(input, root, paths);
  const byName = new Map<string, InputEntry>();
  if (kind === 'obsidian' || kind === 'plain') {
    for (const file of input.entries()) {
      for (const name of namesOf(file.path)) if (!byName.has(name)) byName.set(name, file);
    }
  }
  const about = kind === 'daybook' ? await readOwnAbout(input, root) : null;
  return {
    kind,
    input,
    root,
    byName,
    hasHidden: about?.all ?? true,
    url: about ? about.url : await urlOf(input, root),
  };
}

/** Whether the input is an export of this service. */
export function isOwnExport(input: Input): boolean {
  const paths = [...input.entries()].map(({ path }) => path);
  return input.find(`${rootOf(paths)}daybook-export.json`) !== null;
}

/** The only folder of an archive, such as `blog-main/`. */
function rootOf(paths: readonly string[]): string {
  const [first = ''] = paths;
  const name = first.includes('/') ? first.slice(0, first.indexOf('/')) : '';
  const isOnly = name !== '' && !OWN_FOLDERS.test(name) && paths.every((path) => path.startsWith(`${name}/`));
  return isOnly ? `${name}/` : '';
}

function kindOf(input: Input, root: string, paths: readonly string[]): SiteKind {
  const has = (path: string) => input.find(root + path) !== null;
  const hasSettings = (name: string) => ['toml', 'yaml', 'yml', 'json'].some((type) => has(`${name}.${type}`));
  if (has('daybook-export.json')) return 'daybook';
  if (hasSettings('_config') || paths.some((path) => /(?:^|\/)_(?:posts|drafts)\//.test(path))) return 'jekyll';
  const isHugo = SETTINGS.slice(0, 4).some(hasSettings) && paths.some((path) => path.startsWith(`${root}content/`));
  if (isHugo || paths.some((path) => /(?:^|\/)_index\.md$/.test(path))) return 'hugo';
  return paths.some((path) => /(?:^|\/)\.obsidian\//.test(path)) ? 'obsidian' : 'plain';
}

function namesOf(path: string): string[] {
  const name = posix.basename(path).toLowerCase();
  return MARKDOWN.test(name) ? [name, name.replace(MARKDOWN, '')] : [name];
}

async function urlOf(input: Input, root: string): Promise<string | null> {
  for (const name of SETTINGS) {
    for (const type of ['toml', 'yaml', 'yml']) {
      const file = input.find(`${root}${name}.${type}`);
      if (!file) continue;
      const url = await settingsUrl(file, type === 'toml');
      if (url !== null) return url;
    }
  }
  return null;
}

async function settingsUrl(file: InputEntry, isToml: boolean): Promise<string | null> {
  try {
    const { baseurl, url } = readSettings((await readText(file)).text, isToml);
    const address = [url, baseurl].filter((part) => typeof part === 'string').join('');
    const isReal =
      /^https?:\/\//.test(address) && URL.canParse(address) && !/\/\/(?:localhost|example\.)/.test(address);
    return isReal ? address.replace(/\/+$/, '') : null;
  } catch {
    return null;
  }
}

/** The format that is read: that of `src/cli/export/markdown.ts`. */
const OWN_FORMAT = 1;

async function readOwnAbout(input: Input, root: string): Promise<{ url: string | null; all: boolean }> {
  const file = input.find(`${root}daybook-export.json`);
  const { format, url, all } = parsed(file ? await textOf(file) : '');
  if (format !== OWN_FORMAT)
    throw new FileError(
      `its ${file?.path} does not have "format": ${OWN_FORMAT}, but ${JSON.stringify(format)?.slice(0, 40) ?? 'none'}: it is damaged, or of another version`,
    );
  return { url: typeof url === 'string' && URL.canParse(url) ? url : null, all: all === true };
}

async function textOf(file: InputEntry): Promise<string> {
  try {
    return (await readText(file)).text;
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    throw new FileError(`its ${file.path} cannot be read: ${error.message}`, { cause: error });
  }
}

function parsed(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

/** Null if the file is a text. The reason begins with the kind of files. */
export function reasonToLeaveOut({ kind, root }: Site, path: string): string | null {
  const inner = path.slice(root.length);
  const folders = inner.split('/').slice(0, -1);
  const name = posix.basename(inner);
  if (OTHER_TEXT.test(name)) return 'texts in other formats than Markdown';
  if (folders.some((folder) => folder.startsWith('.'))) return 'Markdown files in hidden folders';
  if (kind === 'daybook') return /^(?:articles|private|drafts)$/.test(folders.join('/')) ? null : OUTSIDE;
  if (/^_index\.[\w.-]+$/i.test(name)) return 'pages of sections (_index.md)';
  if (ABOUT_PROJECT.test(name)) return 'files about a project (README, LICENSE, …)';
  if (folders.some((folder) => /^(?:_layouts|_includes|_site|_data|_sass)$/.test(folder))) return LAYOUTS;
  if (kind === 'hugo' && /^(?:layouts|themes|archetypes|public|resources)$/.test(folders[0] ?? '')) return LAYOUTS;
  if (kind === 'jekyll' && !folders.some((folder) => /^_(?:posts|drafts)$/.test(folder)))
    return 'pages: only posts become articles';
  return null;
}

/** Also in a language, such as `README.ko.md` and `README-pt-BR.md`. */
const ABOUT_PROJECT =
  /^(?:readme|license|changelog|contributing|code_of_conduct)(?:[.-][a-z]{2,3}(?:-[a-z]{2})?)?\.\w+$/i;
const LAYOUTS = 'layouts and templates';
const OUTSIDE = 'Markdown files outside of the folders of texts';

/** The file that a text refers to. Null if it is not in the input, or if the reference is an address. */
export function resolveFile({ input, root, kind, byName }: Site, from: string, reference: string): InputEntry | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(reference)) return null;
  const path = decoded(reference.replace(/[?#].*$/s, '')).replaceAll('\\', '/');
  if (path === '') return null;
  const isAbsolute = path.startsWith('/');
  const near = isAbsolute ? [] : [posix.join(posix.dirname(from), path)];
  const plain = posix.normalize(path).replace(/^\/+/, '');
  const folders = kind === 'daybook' ? [''] : ['', 'static/', 'assets/', 'public/', 'content/'];
  for (const candidate of [...near, ...folders.map((folder) => root + folder + plain)]) {
    const file = input.find(candidate) ?? (kind === 'daybook' ? null : input.find(`${candidate}.md`));
    if (file) return file;
  }
  return kind === 'obsidian' ? (byName.get(posix.basename(path).toLowerCase()) ?? null) : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a text on a host that does not exist, for links between texts. */
export function addressOfPath(path: string): string {
  return `https://markdown.invalid/${encodeURI(path)}`;
}

/** For texts of sites without an address, keys have more than the path: two of them may have equal paths. */
export function originOfSite({ url }: Site): string {
  return url === null ? 'markdown' : originOf(url);
}
