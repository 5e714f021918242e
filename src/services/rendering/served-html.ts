/** Completes stored HTML when it is read: the current URLs of images, and the attributes with which browsers choose a size. */
import type { StoredHtml } from '../../models/article/html.js';
import type { ImageSize } from '../../models/image.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { type ImageStore, sizesOf } from '../images/store.js';
import { toAbsoluteImageUrls } from './image-urls.js';

const MAX_SIZED_IMAGES = fixedLimit({
  area: 'Images',
  error: null,
  value: 200,
  about: 'Images with `srcset` in the HTML of an article. Further ones have only their full size.',
});

/** Sanitized HTML contains `<` and `>` only around tags, and `"` within a tag only around attribute values. */
const IMAGE_TAG = /<img ([^<>]*?)src="([^"<>]*)"([^<>]*)>/g;
/** The key of an image and, for a smaller size, its width; the same as in the trigger of the table article_images. */
const IMAGE_FILE = /(?<![0-9a-z_])([0-9a-f]{32})(?:-(\d+))?\.webp/;

/** The keys of the images of this service that HTML refers to. */
export function imageKeysIn(html: string): string[] {
  return [...new Set([...html.matchAll(new RegExp(IMAGE_FILE, 'g'))].map(([, key = '']) => key))];
}

/** @param publicUrl without a slash at the end */
export function toServedHtml({ html, images }: StoredHtml, store: ImageStore, publicUrl: string): string {
  const absolute = toAbsoluteImageUrls(html, publicUrl);
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

/** The declared width, else that of the size that the content refers to, else that of the image. */
function shownSize(attributes: string, { width, height }: ImageSize, variant: number) {
  const isDeclared = /\b(?:width|height)="/.test(attributes);
  const declared = Number(/\bwidth="(\d{1,5})(?:px)?"/.exec(attributes)?.[1]);
  const shown = declared || Math.min(variant || width, width);
  return { isDeclared, width: shown, height: Math.max(1, Math.round((height * shown) / width)) };
}
