/** Medium: the ZIP archive or folder of an export, with one HTML file for each post (`posts/….html`). */
import querystring from 'node:querystring';
import { dateOf } from '../dates.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import type { DecodedText } from '../input/decode-text.js';
import { EntryError, type InputEntry } from '../input/entries.js';
import { type Input, readText } from '../input.js';
import { encodingLosses, htmlLosses, unlessTooComplex } from '../losses.js';
import type { ImportSource, Product, Reduction, SourceArticle, SourceItem, SourcePerson } from '../source.js';
import { plainLine, replaceParts } from '../text.js';

export const medium: Product = {
  name: 'a Medium export (ZIP)',
  async open(input) {
    const posts = [...input.entries()].filter(({ path }) => /(?:^|\/)posts\/[^/]+\.html$/i.test(path));
    const [file] = posts;
    const post = input.kind !== 'file' && file ? await textIn(file).catch(() => '') : '';
    if (!post.includes('class="h-entry"') || !post.includes('data-field="body"')) return null;
    const profile = [...input.entries()].find(({ path }) => /(?:^|\/)profile\/profile\.html$/i.test(path));
    const html = profile ? await textIn(profile).catch(() => '') : '';
    return new MediumSource(input, posts, ownerIn(html));
  },
};

async function textIn(file: InputEntry): Promise<string> {
  return (await readText(file)).text;
}

function ownerIn(profile: string): SourcePerson {
  const account = /medium\.com\/(@[^"?/]+)"/.exec(profile)?.[1] ?? '';
  const email = /<b>Email address:<\/b>([^<]*)/.exec(profile)?.[1] ?? '';
  const name = /<h3 class="p-name">([^<]*)/.exec(profile)?.[1] ?? '';
  return { key: account, name: plainLine(name), email: plainLine(email) || null };
}

class MediumSource implements ImportSource {
  readonly product = 'Medium';
  readonly origin: string;
  readonly url = 'https://medium.com';
  readonly recognition = 'a Medium export, since its folder posts has HTML files of Medium';
  readonly #input: Input;
  readonly #owner: SourcePerson;
  readonly #posts: ReadonlySet<InputEntry>;
  #read = 0;

  constructor(input: Input, posts: InputEntry[], owner: SourcePerson) {
    this.#input = input;
    this.#owner = owner;
    this.#posts = new Set(posts);
    this.origin = `medium.com/${(owner.key ?? '').toLowerCase()}`;
  }

  progress() {
    return { read: this.#read, size: this.#posts.size };
  }

  reads(path: string): boolean {
    return /\.html$/i.test(path);
  }

  async *items(): AsyncGenerator<SourceItem> {
    this.#read = 0;
    const others = new Map<string, number>();
    for (const file of this.#input.entries()) {
      if (!this.reads(file.path)) continue;
      if (this.#posts.has(file)) {
        yield await this.#toItem(file);
        this.#read++;
      } else {
        const folder = file.path.split('/').at(-2) ?? '';
        others.set(folder, (others.get(folder) ?? 0) + 1);
      }
    }
    for (const [folder, count] of others) {
      yield { kind: 'left out', place: `${folder}/`, reason: 'files that are not posts', count };
    }
  }

  async #toItem(file: InputEntry): Promise<SourceItem> {
    let decoded: DecodedText;
    try {
      decoded = await readText(file);
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      return { kind: 'left out', place: file.path, reason: `files that cannot be read: ${error.message}` };
    }
    const post = partsOf(decoded.text);
    if (post === null) return { kind: 'left out', place: file.path, reason: 'files in posts/ that are not posts' };
    const isDraft = /(?:^|\/)draft_[^/]*$/.test(file.path) || post.publishedAt === null;
    if (!isDraft && isResponse(post)) {
      return {
        kind: 'left out',
        place: file.path,
        reason: 'responses to other posts, and posts without a title: they cannot be told apart',
      };
    }
    return unlessTooComplex(file.path, () => this.#toArticle(file, post, { isDraft, losses: encodingLosses(decoded) }));
  }

  #toArticle(
    file: InputEntry,
    post: Parts,
    { isDraft, losses }: { isDraft: boolean; losses: Reduction[] },
  ): SourceArticle {
    const body = contentOf(post.body);
    return {
      kind: 'article',
      key: post.id || file.path,
      place: file.path,
      author: this.#authorOf(post),
      state: isDraft ? 'DRAFT' : 'PUBLIC',
      title: post.title,
      content: htmlToMarkdown(body, NOT_CONTENT),
      metadata: { description: post.subtitle, canonicalUrl: post.address },
      slug: slugOf(post.address),
      categories: [],
      tags: post.tags,
      createdAt: post.publishedAt,
      updatedAt: null,
      publishAt: null,
      image: null,
      images: [],
      addresses: [post.address, ...(post.id ? [`https://medium.com/p/${post.id}`] : [])].filter(Boolean),
      comments: [],
      reduced: [...losses, ...htmlLosses(body)],
    };
  }

  /** Drafts do not name their author. */
  #authorOf({ author }: Parts): SourcePerson | null {
    const isOther = author.key !== '' && author.key !== this.#owner.key;
    const person = isOther ? author : this.#owner;
    return person.key === '' ? null : person;
  }
}

interface Parts {
  id: string;
  title: string;
  subtitle: string;
  body: string;
  /** Canonical; empty for drafts. */
  address: string;
  publishedAt: Date | null;
  author: SourcePerson;
  tags: string[];
}

/** The files are made from a template with the classes of h-entry (microformats.org). */
function partsOf(html: string): Parts | null {
  const start = /<section data-field="body"[^<>]*>/.exec(html);
  const end = html.lastIndexOf('<footer>');
  if (!start || end < start.index) return null;
  const [head, footer] = [html.slice(0, start.index), html.slice(end)];
  const [, address = ''] = /<a href="([^"]*)" class="p-canonical"/.exec(footer) ?? [];
  const [, account = '', name = ''] =
    /<a href="https:\/\/medium\.com\/(@[^"?/]*)(?=["?/])[^"]*" class="p-author[^<>]*>([^<]*)/.exec(footer) ?? [];
  const [, id = ''] = /medium\.com\/p\/([0-9a-f]+)"/.exec(footer) ?? /-([0-9a-f]{8,12})$/.exec(address) ?? [];
  return {
    id,
    title: lineIn(head, /<h1 class="p-name">/, '</h1>'),
    subtitle: lineIn(head, /<section data-field="subtitle"[^<>]*>/, '</section>'),
    body: html.slice(start.index + start[0].length, html.lastIndexOf('</section>', end)),
    address: plainLine(address),
    publishedAt: dateOf(/<time class="dt-published" datetime="([^"]*)"/.exec(footer)?.[1]),
    author: { key: account, name: plainLine(name), email: null },
    tags: [...footer.matchAll(/class="p-tag">([^<]*)</g)].map(([, tag = '']) => plainLine(tag)),
  };
}

function lineIn(html: string, begins: RegExp, end: string): string {
  const begun = begins.exec(html);
  const from = (begun?.index ?? 0) + (begun?.[0].length ?? 0);
  const until = begun ? html.indexOf(end, from) : -1;
  return until === -1 ? '' : plainLine(html.slice(from, until));
}

/** A response has no title of its own, so that its text begins with what the export names the title; no subtitle, and no tags. */
function isResponse({ title, subtitle, tags, body }: Parts): boolean {
  const hasTitle = /class="[^"]*\bgraf--title\b/.test(body) || /<h[1-4]\b/.test(body);
  return !hasTitle && subtitle === '' && tags.length === 0 && plainLine(body).startsWith(title.replace(/…$/, ''));
}

/** The title is that of the article; the first divider is above the first section. */
const NOT_CONTENT = /\bgraf--title\b|\baspectRatioPlaceholder-fill\b|\bmixtapeImage\b/;

/** Sections become text with a line between them, gists become links, and titles in a text become second and third level headings. */
function contentOf(body: string): string {
  const html = body
    .replace(/<div class="section-divider">\s*<hr[^<>]*>\s*<\/div>/, '')
    .replace(/<script\b[^<>]*\ssrc="([^"]*?)(?:\.js)?"[^<>]*>\s*<\/script>/g, '<iframe src="$1"></iframe>');
  return replaceParts(html, /<pre\b([^<>]*)>/g, /<\/pre>/g, (code, [, attributes = '']) =>
    toCode(attributes, code),
  ).replace(/<(\/?)h([34])\b/g, (_, slash: string, level: string) => `<${slash}h${Number(level) - 1}`);
}

function toCode(attributes: string, content: string): string {
  const [, language = ''] = /\sdata-code-block-lang="([\w+#-]+)"/.exec(attributes) ?? [];
  const code = content.replace(/<br\s*\/?>/g, '\n').replace(/<[^<>]*>/g, '');
  return `<pre><code${language && ` class="language-${language}"`}>${code}</code></pre>`;
}

/** The last part of an address, without the id at its end. */
function slugOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const name = new URL(address).pathname.split('/').at(-1) ?? '';
  return querystring.unescape(name).replace(/-?[0-9a-f]{8,12}$/, '') || null;
}
