/** Which program a folder of Markdown files belongs to, which of its files are texts, and how they refer to other files. */
import { posix } from 'node:path';
import { FileError } from '../../../platform/errors.js';
import { isTimeZone } from '../../dates.js';
import { EntryError, type InputEntry } from '../../input/entries.js';
import { type Input, readText } from '../../input.js';
import { originOf } from '../../source.js';
import { type Fields, FrontMatterError, readFrontMatter, readSettings } from './front-matter.js';

export type SiteKind = 'daybook' | 'hugo' | 'jekyll' | 'hexo' | 'obsidian' | 'velog' | 'zenn' | 'plain';

export interface Site {
  kind: SiteKind;
  input: Input;
  /** The folder of the site in the input, with a final `/`; empty if it is the input itself. */
  root: string;
  /** Null if the settings have none. */
  url: string | null;
  /** By their names, in lower case, for links of Obsidian: they have no folder. */
  byName: ReadonlyMap<string, InputEntry>;
  /** Whether readers see a line break for each of the source. */
  hasLineBreaks: boolean;
  /** The time zone of dates without one, as in the settings. Null: UTC. */
  zone: string | null;
  /** What the settings have instead of a time zone. */
  invalidZone: string | null;
  /** Whether an export of this service has the contents of hidden comments. */
  hasHidden: boolean;
  /** Whether it is the archive of a member. */
  isArchive: boolean;
}

/** With the texts of R Markdown and Quarto, whose chunks of code are fenced. */
export const MARKDOWN = /\.(?:md|markdown|mdown|mkdn?|mdx|rmd|rmarkdown|qmd)$/i;
export const HTML = /\.x?html?$/i;
export const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)$/i;
/** Of texts whose references have none. */
const EXTENSIONS = ['.md', '.markdown', '.html', '.Rmd', '.qmd'];

/** Also in a language, such as `README.ko.md` and `README-pt-BR.md`. */
export const ABOUT_PROJECT =
  /^(?:readme|license|changelog|contributing|code_of_conduct)(?:[.-][a-z]{2,3}(?:-[a-z]{2})?)?\.\w+$/i;

const OWN_FOLDERS = /^(?:content|_posts|_drafts|posts|articles|private|drafts)$/;
const SETTINGS = ['hugo', 'config', 'config/_default/hugo', 'config/_default/config', '_config'];

export async function siteOf(input: Input): Promise<Site> {
  const paths = [...input.entries()].map(({ path }) => path);
  const root = rootOf(paths);
  const found = kindOf(input, root, paths);
  const kind = found === 'plain' ? await platformOf(input, paths) : found;
  const byName = new Map<string, InputEntry>();
  if (kind === 'obsidian' || kind === 'plain') {
    for (const file of input.entries()) {
      for (const name of namesOf(file.path)) if (!byName.has(name)) byName.set(name, file);
    }
  }
  const about = kind === 'daybook' ? await readOwnAbout(input, root) : null;
  const settings = about ? [] : await settingsOf(input, root);
  return {
    kind,
    input,
    root,
    byName,
    hasLineBreaks: await hasLineBreaks(input, root, kind, settings),
    ...zoneIn(settings),
    hasHidden: about?.all ?? true,
    isArchive: about?.isArchive ?? false,
    url: about ? about.url : (settings.map(urlIn).find((url) => url !== null) ?? null),
  };
}

/** Whether the input is an export of this service, or the archive of a member. */
export function isOwnExport(input: Input): boolean {
  const root = rootOf([...input.entries()].map(({ path }) => path));
  return input.find(`${root}daybook-export.json`) !== null || isArchive(input, root);
}

/** By files that each archive of a member has. */
function isArchive(input: Input, root: string): boolean {
  return ['profile', 'articles', 'article-revisions', 'drafts'].every((name) => input.find(`${root}${name}.json`));
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
  if (has('daybook-export.json') || isArchive(input, root)) return 'daybook';
  // Octopress, which is Jekyll, has its posts there too.
  if (paths.some((path) => path.startsWith(`${root}source/_posts/`)) && !has('Gemfile') && !has('Rakefile'))
    return 'hexo';
  if (hasSettings('_config') || paths.some((path) => /(?:^|\/)_(?:posts|drafts)\//.test(path))) return 'jekyll';
  const isHugo = SETTINGS.slice(0, 4).some(hasSettings) && paths.some((path) => path.startsWith(`${root}content/`));
  if (isHugo || paths.some((path) => /(?:^|\/)_index\.md$/.test(path))) return 'hugo';
  return paths.some((path) => /(?:^|\/)\.obsidian\//.test(path)) ? 'obsidian' : 'plain';
}

function namesOf(path: string): string[] {
  const name = posix.basename(path).toLowerCase();
  return MARKDOWN.test(name) ? [name, name.replace(MARKDOWN, '')] : [name];
}

/** Texts that are read to recognize a folder of Velog or Zenn. */
const MAX_SAMPLES = 50;
/** What backup programs of Velog write, by the names in its API or in front matter. */
const VELOG_FIELDS =
  /^(?:title|description|short_description|date|released_at|updated_at|tags|series|thumbnail|url_slug|is_private|likes)$/;
/** Many programs have the other fields too. */
const ONLY_VELOG_FIELDS = /^(?:short_description|released_at|url_slug|is_private)$/;
const ONLY_VELOG_TEXT =
  /!(?:youtube|twitter|codesandbox|codepen)\[|\]\(https:\/\/(?:velog\.velcdn\.com|images\.velog\.io|media\.vlpt\.us)\//;

/**
 * Velog has no export. Its backups have nothing but texts with its fields, and pictures; and at least one text with what only Velog has. Texts for Zenn have
 * its fields.
 */
async function platformOf(input: Input, paths: readonly string[]): Promise<'velog' | 'zenn' | 'plain'> {
  const texts = paths.filter(
    (path) => (MARKDOWN.test(path) || input.kind === 'file') && !ABOUT_PROJECT.test(posix.basename(path)),
  );
  let canBeVelog = !paths.some((path) => /(?:^|\/)package\.json$/.test(path));
  let isVelog = false;
  for (const path of texts.slice(0, MAX_SAMPLES)) {
    const { fields, content } = await frontMatterOf(input.find(path));
    if (fields === null) continue;
    const names = Object.keys(fields);
    if (names.includes('emoji') && names.includes('topics') && /^(?:tech|idea)$/.test(String(fields.type)))
      return 'zenn';
    canBeVelog &&= names.includes('title') && names.every((name) => VELOG_FIELDS.test(name));
    isVelog ||= names.some((name) => ONLY_VELOG_FIELDS.test(name)) || ONLY_VELOG_TEXT.test(content);
  }
  return canBeVelog && isVelog ? 'velog' : 'plain';
}

/** Without fields if they cannot be read, which is reported when the text is imported. */
async function frontMatterOf(file: InputEntry | null): Promise<{ fields: Fields | null; content: string }> {
  try {
    return readFrontMatter(file ? (await readText(file)).text : '');
  } catch (error) {
    if (error instanceof EntryError || error instanceof FrontMatterError) return { fields: null, content: '' };
    throw error;
  }
}

async function settingsOf(input: Input, root: string): Promise<Fields[]> {
  const files = SETTINGS.flatMap((name) =>
    ['toml', 'yaml', 'yml'].map((type) => ({ file: input.find(`${root}${name}.${type}`), isToml: type === 'toml' })),
  );
  const read: Fields[] = [];
  for (const { file, isToml } of files) {
    if (!file) continue;
    try {
      read.push(readSettings((await readText(file)).text, isToml));
    } catch (error) {
      if (!(error instanceof EntryError || error instanceof FrontMatterError)) throw error;
    }
  }
  return read;
}

/** `timezone` of Jekyll and Hexo, `timeZone` of Hugo. */
function zoneIn(settings: readonly Fields[]): Pick<Site, 'zone' | 'invalidZone'> {
  const name = settings.map(({ timezone }) => timezone).find((value) => typeof value === 'string' && value !== '');
  if (typeof name !== 'string') return { zone: null, invalidZone: null };
  return isTimeZone(name) ? { zone: name, invalidZone: null } : { zone: null, invalidZone: name.slice(0, 60) };
}

function urlIn({ baseurl, url }: Fields): string | null {
  const address = [url, baseurl].filter((part) => typeof part === 'string').join('');
  const isReal = /^https?:\/\//.test(address) && URL.canParse(address) && !/\/\/(?:localhost|example\.)/.test(address);
  return isReal ? address.replace(/\/+$/, '') : null;
}

/** Velog and Zenn show them, Hexo unless a setting of its renderers says otherwise, and Obsidian without "Strict line breaks"; kramdown and goldmark with a setting. */
async function hasLineBreaks(
  input: Input,
  root: string,
  kind: SiteKind,
  settings: readonly Fields[],
): Promise<boolean> {
  if (kind === 'obsidian') {
    const file = input.find(`${root}.obsidian/app.json`);
    return !(file && parsed(await textOf(file)).strictLineBreaks === true);
  }
  const has = (setting: string, is: string) =>
    settings.some((fields) => setting.split('.').reduce<unknown>((value, name) => Object(value)[name], fields) === is);
  if (kind === 'jekyll') return has('kramdown.hard_wrap', 'true');
  if (kind === 'hugo') return has('markup.goldmark.renderer.hardWraps', 'true');
  if (kind === 'hexo')
    return !['marked.breaks', 'markdown.breaks', 'markdown.render.breaks'].some((name) => has(name, 'false'));
  return kind === 'velog' || kind === 'zenn';
}

/** The format that is read: that of `src/cli/export/markdown.ts`. */
const OWN_FORMAT = 1;

async function readOwnAbout(
  input: Input,
  root: string,
): Promise<{ url: string | null; all: boolean; isArchive: boolean }> {
  const file = input.find(`${root}daybook-export.json`);
  if (!file && isArchive(input, root)) return { url: null, all: true, isArchive: true };
  const { format, url, all } = parsed(file ? await textOf(file) : '');
  if (format !== OWN_FORMAT)
    throw new FileError(
      `its ${file?.path} does not have "format": ${OWN_FORMAT}, but ${JSON.stringify(format)?.slice(0, 40) ?? 'none'}: it is damaged, or of another version`,
    );
  return { url: typeof url === 'string' && URL.canParse(url) ? url : null, all: all === true, isArchive: false };
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

/** The file that a text refers to. Null if it is not in the input, or if the reference is an address. */
export function resolveFile({ input, root, kind, byName }: Site, from: string, reference: string): InputEntry | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(reference)) return null;
  const path = decoded(reference.replace(/[?#].*$/s, '')).replaceAll('\\', '/');
  if (path === '') return null;
  const isAbsolute = path.startsWith('/');
  // Hexo keeps the pictures of a text in a folder with its name.
  const near = isAbsolute
    ? []
    : [posix.dirname(from), from.replace(MARKDOWN, '')].map((each) => posix.join(each, path));
  const plain = posix.normalize(path).replace(/^\/+/, '');
  const folders = kind === 'daybook' ? [''] : ['', 'static/', 'assets/', 'public/', 'content/', 'source/'];
  for (const candidate of [...near, ...folders.map((folder) => root + folder + plain)]) {
    const names = kind === 'daybook' ? [candidate] : ['', ...EXTENSIONS].map((extension) => candidate + extension);
    const file = names.map((name) => input.find(name)).find((found) => found !== null);
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
