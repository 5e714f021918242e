/** Galleries (`[gallery]`) and feature images of WordPress, whose pictures are in the media library of the export. */
import { escapeHtml } from '../../../services/rendering/escape.js';
import { outsideCode } from '../../outside-code.js';
import type { CompletedContent } from '../../source.js';
import { plainLine } from '../../text.js';
import type { ItemRecord } from './records.js';

/** A file in the media library of the blog. */
interface Attachment {
  url: string;
  title: string;
  /** The alternative text; may be empty. */
  alt: string;
}

/** Not one that is shown as text. */
const GALLERY = /(?<![[\\])\[gallery(?=[\s\]])([^[\]]*)\]/g;

export function hasGallery(content: string): boolean {
  return content.includes('[gallery');
}

export class MediaLibrary {
  readonly #byId = new Map<string, Attachment>();
  readonly #ofPost = new Map<string, Attachment[]>();

  add({ id, parent, attachmentUrl: url, title, alt }: ItemRecord): void {
    if (!/^https?:\/\/.*\.(?:jpe?g|png|gif|webp|avif)$/i.test(url)) return;
    if (this.#byId.has(id)) return;
    const attachment = { url, title: plainLine(title), alt: plainLine(alt) };
    this.#byId.set(id, attachment);
    const siblings = this.#ofPost.get(parent);
    if (siblings) siblings.push(attachment);
    else this.#ofPost.set(parent, [attachment]);
  }

  /** @param reference as `referenceTo` returns it */
  find(reference: string): Attachment | null {
    return this.#byId.get(reference.slice(REFERENCE.length)) ?? null;
  }

  /** Replaces the galleries whose pictures are known: by their ids, or all of the post. */
  complete(postId: string, content: string): CompletedContent {
    let unknown = 0;
    let replaced = 0;
    const complete = (shortcode: string, attributes: string) => {
      const ids = /\b(?:ids|include)\s*=\s*["']?([\d\s,]+)/.exec(attributes)?.[1];
      const named = ids?.split(/[\s,]+/).filter(Boolean);
      const pictures = named ? named.flatMap((id) => this.#byId.get(id) ?? []) : (this.#ofPost.get(postId) ?? []);
      if (pictures.length === 0) {
        unknown++;
        return shortcode;
      }
      replaced++;
      return `\n\n${pictures.map(toFigure).join('\n')}\n\n`;
    };
    const text = outsideCode(content, (part) => part.replace(GALLERY, complete));
    return {
      content: text,
      reduced: unknown > 0 ? [{ ...UNKNOWN, count: unknown }] : [],
      changed: replaced > 0 ? [{ ...REPLACED, count: replaced }] : [],
    };
  }
}

const REFERENCE = 'attachment ';

export function referenceTo(attachmentId: string): string {
  return REFERENCE + attachmentId;
}

const UNKNOWN = { reason: 'galleries whose pictures are not in the file: they stay as text' };
const REPLACED = { reason: 'galleries: now a list of pictures' };

function toFigure({ url, title, alt }: Attachment): string {
  return `<figure><img src="${escapeHtml(url)}" alt="${escapeHtml(alt || title)}"></figure>`;
}
