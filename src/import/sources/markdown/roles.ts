/** Which files of a folder become articles, and why others that may be texts do not. */
import { posix } from 'node:path';
import { EntryError, type InputEntry } from '../../input/entries.js';
import { beginningOf } from '../../input.js';
import { ABOUT_PROJECT, HTML, MARKDOWN, type Site } from './site.js';

/** Formats of texts that are not converted. */
const OTHER_TEXT =
  /\.(?:adoc|asciidoc|asc|org|rst|rest|textile|pandoc|pdc|ipynb|txt|text|rtf|docx?|odt|canvas|tex|typ|wiki|mediawiki|creole)$/i;
const TEMPLATE = /\.(?:njk|liquid|hbs|handlebars|mustache|ejs|haml|slim|pug|jade|erb|webc|vto|11ty\.[cm]?[jt]s)$/i;

/** Files that are no texts: pictures, sound and films, fonts, styles, programs, data. */
const NO_TEXT =
  /^\.|\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|heic|psd|mp[34]|m4[av]|ogg|oga|ogv|wav|flac|webm|mov|avi|mkv|woff2?|ttf|otf|eot|s?css|sass|less|styl|[cm]?[jt]sx?|map|vue|svelte|astro|json5?|jsonc|ya?ml|toml|xml|xsl|csv|tsv|bib|lock|ini|cfg|conf|edn|excalidraw|base|sh|bat|ps1|rb|py|go|rs|java|kt|swift|c|h|cc|cpp|cs|php|pl|lua|r|rproj|rdata|rds|jl|sql|wasm|gemspec|exe|bin|dll|so|pdf|zip|gz|tgz|bz2|xz|tar|7z|rar)$/i;

/** Of a project or a site, and no texts. */
const OF_PROJECT =
  /^(?:(?:robots|humans|ads|security|requirements)\.txt|license|copying|authors|readme|cname|_redirects|_headers|(?:make|gem|rake|proc|docker)file)$/i;

const TEXT_FOLDERS = /^(?:_posts|_drafts|content|posts|articles|drafts|blog|notes)$/;
const POST_FOLDERS = /^_(?:posts|drafts)$/;
const TEMPLATE_FOLDERS = /^_(?:layouts|includes|site|data|sass|plugins)$/;
const TEMPLATE_ROOTS: Partial<Record<Site['kind'], RegExp>> = {
  hugo: /^(?:layouts|themes|archetypes|public|resources)$/,
  jekyll: /^(?:layout|themes|scaffolds|public|vendor)$/,
  hexo: /^(?:layout|themes|scaffolds|public)$/,
};

export const PAGES = 'pages: only posts become articles';
const LAYOUTS = 'layouts and templates';
const OTHER_FORMATS = 'texts in other formats than Markdown and HTML';

/** Why a file is left out. `isCounted`: with the others of its folder, of which there may be many. */
export interface LeftOutFile {
  reason: string;
  isCounted?: boolean;
}

/** @returns `text` for a file that is read; null for one that is no text */
export async function roleOf({ kind, root, input }: Site, file: InputEntry): Promise<'text' | LeftOutFile | null> {
  if (input.kind === 'file') return 'text';
  const folders = file.path.slice(root.length).split('/');
  const name = folders.pop() ?? '';
  const isMarkdown = MARKDOWN.test(name);
  const isTemplate = TEMPLATE.test(name);
  const isKnown = isMarkdown || HTML.test(name) || OTHER_TEXT.test(name) || isTemplate;
  if (!isKnown && NO_TEXT.test(name)) return null;
  if (kind === 'daybook') {
    if (!/^(?:articles|private|drafts)$/.test(folders.join('/')))
      return isKnown && name !== 'README.txt' ? { reason: 'texts outside of the folders of texts' } : null;
    return isMarkdown ? 'text' : { reason: OTHER_FORMATS };
  }
  if (folders.some((folder) => folder.startsWith('.'))) return isKnown ? { reason: 'texts in hidden folders' } : null;
  if (/^_index\.[\w.-]+$/i.test(name)) return { reason: 'pages of sections (_index.md)' };
  if (ABOUT_PROJECT.test(name) || OF_PROJECT.test(name))
    return { reason: 'files about a project (README, LICENSE, …)' };
  const isOfTheme = folders.some((folder) => TEMPLATE_FOLDERS.test(folder) || (folder === 'themes' && !isMarkdown));
  if (isOfTheme || TEMPLATE_ROOTS[kind]?.test(folders[0] ?? ''))
    return isKnown ? { reason: LAYOUTS, isCounted: !isMarkdown } : null;
  const hasPosts = kind === 'jekyll' || kind === 'hexo';
  const isPost = !hasPosts || folders.some((folder) => POST_FOLDERS.test(folder));
  if (isMarkdown) return isPost ? 'text' : { reason: PAGES };
  const isInTexts = folders.some((folder) => TEXT_FOLDERS.test(folder));
  const isWritten = await hasFrontMatter(file);
  if (HTML.test(name)) {
    if (!isWritten) return { reason: 'HTML files without front matter', isCounted: !isInTexts };
    return isPost && (kind !== 'hugo' || isInTexts) ? 'text' : { reason: PAGES };
  }
  // Where nothing says which folders have texts, each file may be one.
  const isLoose = !hasPosts && kind !== 'hugo' && !isTemplate;
  if (isWritten || isInTexts || isLoose || OTHER_TEXT.test(name)) return { reason: OTHER_FORMATS };
  return isTemplate ? { reason: LAYOUTS, isCounted: true } : null;
}

/** Also in JSON, whose text is then left out with this reason. */
export async function hasFrontMatter(file: InputEntry): Promise<boolean> {
  try {
    return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?:(?:---|\+\+\+)[ \t]*\r?\n|\{\s*"[\w-]+"\s*:)/.test(
      await beginningOf(file),
    );
  } catch (error) {
    if (error instanceof EntryError) return false;
    throw error;
  }
}

/** The files that are counted together, by their folders and reasons. */
export class CountedFiles {
  readonly #counts = new Map<string, { place: string; reason: string; count: number }>();

  add({ path }: InputEntry, { reason }: LeftOutFile): void {
    const place = path.includes('/') ? `${posix.dirname(path)}/` : path;
    const key = `${place}\n${reason}`;
    const counted = this.#counts.get(key) ?? { place, reason, count: 0 };
    counted.count++;
    this.#counts.set(key, counted);
  }

  all() {
    return this.#counts.values();
  }
}
