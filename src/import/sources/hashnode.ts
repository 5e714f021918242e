/** Hashnode: the JSON export of a publication. */
import { dateOf } from '../dates.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import type { InputEntry } from '../input/entries.js';
import {
  type Beginning,
  beginningOfDocument,
  elementsOf,
  findDocument,
  type Row,
  rowOf,
  textOf,
} from '../json-elements.js';
import { htmlLosses, unlessTooComplex } from '../losses.js';
import { outsideCode } from '../outside-code.js';
import type { ImportSource, Product, Reduction, SourceArticle, SourceItem, SourcePerson } from '../source.js';

const POST = /^(posts|drafts)\.(\d+)$/;

export const hashnode: Product = {
  name: 'a Hashnode export (JSON)',
  open: async (input) => {
    const file = await findDocument(input, isExport);
    return file && new HashnodeSource(file, await publicationIn(file));
  },
  isExport: async (file) => /\.json$/i.test(file.path) && isExport(await beginningOfDocument(file)),
};

function isExport({ paths, text }: Beginning): boolean {
  return (paths.has('posts.0') || paths.has('drafts.0')) && /"(?:cuid|contentMarkdown|dateAdded)"\s*:/.test(text);
}

/** The id of the publication, which is the same in all of its exports. */
async function publicationIn(file: InputEntry): Promise<string> {
  for await (const { value } of elementsOf(file, (path) => POST.test(path))) {
    const { publication } = value;
    const id = textOf(publication) || textOf(rowOf(publication)?._id ?? rowOf(publication)?.id);
    if (id !== '') return id;
  }
  return '';
}

class HashnodeSource implements ImportSource {
  readonly product = 'Hashnode';
  readonly origin: string;
  /** Exports contain neither the address of the blog nor those of its posts. */
  readonly url = null;
  readonly recognition: string;
  readonly #file: InputEntry;
  #read = 0;

  constructor(file: InputEntry, publication: string) {
    this.#file = file;
    this.recognition = `a Hashnode export, since ${file.path} is one`;
    this.origin = `hashnode/${publication}`;
  }

  progress() {
    return { read: this.#read, size: this.#file.size };
  }

  reads(path: string): boolean {
    return path === this.#file.path;
  }

  async *items(): AsyncGenerator<SourceItem> {
    this.#read = 0;
    const onBytes = (count: number) => {
      this.#read += count;
    };
    for await (const { path, value } of elementsOf(this.#file, (one) => POST.test(one), onBytes)) {
      const [, list = '', index = ''] = POST.exec(path) ?? [];
      const place = `${list}[${index}]`;
      const titled = `${place} "${textOf(value.title)}"`;
      if (value.isActive === false)
        yield { kind: 'left out', place: titled, reason: 'posts that were deleted in Hashnode' };
      else yield unlessTooComplex(titled, () => toArticle(value, place, list === 'drafts'));
    }
  }
}

function toArticle(post: Row, place: string, isInDrafts: boolean): SourceArticle {
  const reduced: Reduction[] = [];
  const publishedAt = dateOf(post.dateAdded) ?? dateOf(post.publishedAt);
  const isDraft = isInDrafts || post.isDraft === true || publishedAt === null;
  const slug = textOf(post.slug);
  const key = textOf(post._id ?? post.id ?? post.cuid) || slug;
  const image = textOf(post.coverImage) || textOf(rowOf(post.coverImage)?.url);
  reduced.push(...unusedOf(post));
  return {
    kind: 'article',
    key,
    place,
    author: authorOf(post.author),
    state: isDraft ? 'DRAFT' : 'PUBLIC',
    title: textOf(post.title),
    content: contentOf(post, reduced),
    excerpt: textOf(post.brief),
    metadata: { description: textOf(post.subtitle), canonicalUrl: textOf(post.originalArticleURL) },
    slug: slug || null,
    categories: [],
    tags: tagsOf(post.tags, reduced),
    series: seriesOf(post),
    createdAt: publishedAt ?? dateOf(post.createdAt),
    updatedAt: dateOf(post.dateUpdated) ?? dateOf(post.updatedAt),
    publishAt: null,
    image: image ? { reference: image, alt: null, open: null } : null,
    images: [],
    addresses: [
      ...[post.url, post.canonicalUrl].map(textOf).filter(Boolean),
      ...(slug ? [`https://hashnode.invalid/${slug}`] : []),
    ],
    comments: [],
    reduced,
  };
}

/** Most exports have the id only, without a name. */
function authorOf(author: unknown): SourcePerson | null {
  const row = rowOf(author);
  if (!row) return null;
  const key = textOf(row._id ?? row.id ?? row.username);
  return key ? { key, name: textOf(row.name) || textOf(row.username), email: textOf(row.email) || null } : null;
}

function tagsOf(tags: unknown, reduced: Reduction[]): string[] {
  const names = (Array.isArray(tags) ? tags : []).map((tag) => textOf(rowOf(tag)?.name ?? rowOf(tag)?.slug ?? tag));
  const ids = names.filter((name) => /^[0-9a-f]{24}$/.test(name));
  if (ids.length > 0) {
    reduced.push({
      reason: 'tags: the export has their ids and not their names',
      detail: ids.join(' '),
      count: ids.length,
    });
  }
  return names.filter((name) => name !== '' && !ids.includes(name));
}

/** Most exports have the id only. */
function seriesOf({ series }: Row): SourceArticle['series'] {
  const title = textOf(rowOf(series)?.name);
  return title ? { title, position: null } : null;
}

function contentOf(post: Row, reduced: Reduction[]): string {
  const markdown = textOf(post.contentMarkdown) || textOf(rowOf(post.content)?.markdown);
  if (markdown !== '') return toCommonMarkdown(markdown, reduced);
  const html = textOf(post.content) || textOf(rowOf(post.content)?.html);
  for (const loss of htmlLosses(html)) reduced.push(loss);
  return htmlToMarkdown(html);
}

/** What only Hashnode has, outside of code: `%[address]` for embedded pages, and `align` in images. */
function toCommonMarkdown(markdown: string, reduced: Reduction[]): string {
  return outsideCode(markdown, (part) =>
    part
      .replace(/^([ \t]*)%\[\s*(https?:\/\/[^\s<>\]]+)\s*\]/gm, (_, indent: string, detail: string) => {
        reduced.push({ reason: 'embedded pages and media: now links', detail });
        return `${indent}<${detail}>`;
      })
      .replace(/(!\[[^[\]]*\]\([^\s()]+) align="(?:left|center|right)"\)/g, (_, image: string) => {
        reduced.push({ reason: 'alignments of images' });
        return `${image})`;
      }),
  );
}

const UNUSED: [reason: string, names: string[]][] = [
  ['credits of cover images', ['coverImageAttribution', 'coverImagePhotographer']],
  [
    'titles, descriptions and images for search engines and social networks',
    ['metaTitle', 'metaDescription', 'ogImage'],
  ],
];

function unusedOf(post: Row): Reduction[] {
  const comments = Number(post.responseCount ?? 0) + Number(post.replyCount ?? 0);
  return [
    ...UNUSED.flatMap(([reason, names]) => {
      const detail = names
        .map((name) => textOf(post[name]) || (rowOf(post[name]) ? name : ''))
        .join(' ')
        .trim();
      return detail ? [{ reason, detail: detail.slice(0, 200) }] : [];
    }),
    ...(post.series && !seriesOf(post) ? [{ reason: 'series: the export has their ids and not their names' }] : []),
    ...(post.isDelisted === true ? [{ reason: 'posts that Hashnode does not list: articles are listed' }] : []),
    ...(comments > 0 ? [{ reason: 'comments: the export has only their number', count: comments }] : []),
  ];
}
