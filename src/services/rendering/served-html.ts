/** Completes stored HTML when it is read: links of mentions, the current URLs of images, and the attributes with which browsers choose a size. */
import type { StoredHtml } from '../../models/article/html.js';
import type { ImageSize } from '../../models/image.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Config } from '../../platform/config/index.js';
import { type ImageStore, sizesOf } from '../images/store.js';
import { toAbsoluteImageUrls } from './image-urls.js';
import { linkMentions } from './mentions.js';

const MAX_SIZED_IMAGES = fixedLimit({
  area: 'Images',
  error: null,
  value: 200,
  about: 'Images with `srcset` in the HTML of an article. Further ones have only their full size.',
});

/** Searched for alone, since the HTML is completed for each read; html-tokens.ts describes what it contains. */
const IMAGE_TAG = /<img ([^<>]*?)src="([^"<>]*)"([^<>]*)>/g;
/** The key of an image and, for a smaller size, its width; the same as in the trigger of the table article_images. */
const IMAGE_FILE = /(?<![0-9a-z_])([0-9a-f]{32})(?:-(\d+))?\.webp/;

/** The keys of the images of this service that HTML refers to. */
export function imageKeysIn(html: string): string[] {
  return [...new Set([...html.matchAll(new RegExp(IMAGE_FILE, 'g'))].map(([, key = '']) => key))];
}

export function toServedHtml(
  { html, images, mentions }: StoredHtml,
  store: ImageStore,
  { publicUrl, site: { memberUrl } }: Pick<Config, 'publicUrl' | 'site'>,
): string {
  const linked = mentions === null || memberUrl === null ? html : linkMentions(html, linksOf(mentions, memberUrl));
  const absolute = toAbsoluteImageUrls(linked, publicUrl);
  if (images === null) return absolute;
  let count = 0;
  return absolute.replace(IMAGE_TAG, (tag, before: string, source: string, after: string) => {
    const [, key = '', variant] = IMAGE_FILE.exec(source) ?? [];
    const image = Object.hasOwn(images, key) && count < MAX_SIZED_IMAGES ? images[key] : undefined;
    if (!image) return tag;
    count++;
    const full = { url: store.url(key, publicUrl), width: image.width };
    const sizes = [...sizesOf(store, key, image.width, publicUrl), full];
    const srcset = sizes.map(({ url, width }) => `${url} ${width}w`).join(', ');
    const shown = shownSize(before + after, image, Number(variant));
    const extent = shown.isDeclared ? '' : ` width="${shown.width}" height="${shown.height}"`;
    const hint = `(max-width: ${shown.width}px) 100vw, ${shown.width}px`;
    return `<img ${before}src="${full.url}" srcset="${srcset}" sizes="${hint}"${extent}${after}>`;
  });
}

/** @param memberUrl the value of `MEMBER_URL` */
function linksOf(mentions: NonNullable<StoredHtml['mentions']>, memberUrl: string): (name: string) => string | null {
  return (name) => {
    const member = Object.hasOwn(mentions, name) ? mentions[name] : undefined;
    if (!member) return null;
    return memberUrl
      .replaceAll('{id}', String(member.id))
      .replaceAll('{nickname}', encodeURIComponent(member.nickname));
  };
}

/** The declared width, else that of the size that the content refers to, else that of the image. */
function shownSize(attributes: string, { width, height }: ImageSize, variant: number) {
  const isDeclared = /\b(?:width|height)="/.test(attributes);
  const declared = Number(/\bwidth="(\d{1,5})(?:px)?"/.exec(attributes)?.[1]);
  const shown = declared || Math.min(variant || width, width);
  return { isDeclared, width: shown, height: Math.max(1, Math.round((height * shown) / width)) };
}
