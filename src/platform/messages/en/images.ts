/** Error messages about uploaded images, in English. */

const EXPECTED = 'expected a JPEG, PNG, WebP, GIF or AVIF image';

export const images = {
  imageNotFound: 'The image does not exist.',
  imageCountReached: (max: number) => `You have ${max} images, the maximum: delete some first.`,
  imageBytesReached: (used: number, max: number) =>
    `Your images use ${used} MiB: with this one they would exceed the maximum of ${max} MiB. Delete some first.`,
  imageInUse: (articleId: number) => `Your article ${articleId} uses the image: remove it from the content first.`,
  imageInUseByOne: 'One of your articles uses the image: remove it from the content first.',
  imageInUseByDraft: 'One of your drafts uses the image: remove it from the draft first.',
  imageTooLarge: (mebibytes: string, max: number) => `The image is ${mebibytes} MiB: at most ${max} MiB is allowed.`,
  imageTooManyFrames: (frames: number, max: number) => `The image has ${frames} frames: at most ${max} are allowed.`,
  imageTooManyPixels: (width: number, height: number, frames: number, megapixels: string, max: number) => {
    const size = `${frames > 1 ? `${frames} frames of ` : ''}${width} × ${height} pixels`;
    return `The image has ${size}, ${megapixels} megapixels: at most ${max} are allowed.`;
  },
  imageTimeout: (format: string, seconds: number) =>
    `Processing the ${format} image took more than ${seconds} seconds.`,
  imageDamaged: (format: string) => `The ${format} image is damaged or truncated.`,

  fileEmpty: `The file is empty: ${EXPECTED}.`,
  fileTypeUnsupported: (kind: string) => `The file is ${kind}: ${EXPECTED}.`,
  kindTiff: 'a TIFF image',
  kindBmp: 'a BMP image',
  kindJpegXl: 'a JPEG XL image',
  kindHeic: 'a HEIC image',
  kindVideo: 'a video',
  kindSvg: 'an SVG document',
  kindHtml: 'an HTML page',
  kindPdf: 'a PDF document',
  kindZip: 'a ZIP archive',
  kindUnknown: (firstBytes: string) => `of an unknown type (first bytes: ${firstBytes})`,

  avifInvalid: (reason: string) => `The AVIF image cannot be used: ${reason}.`,
  avifBytesRepeated: 'it refers to the same bytes repeatedly',
  avifDamaged: 'it is damaged or truncated',
  avifBoxes: (type: string, found: number) => `expected one "${type}" box, got ${found || 'none'}`,
  avifTooManyBoxes: (max: number) => `one of its boxes contains more than ${max} boxes`,
  avifVersion: (version: number) => `expected an index of version 0 to 2, got ${version}`,
};
