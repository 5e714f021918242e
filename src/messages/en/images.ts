/** Error messages about uploaded images, in English. */

const EXPECTED = 'expected a JPEG, PNG, WebP, GIF or AVIF image';

export const images = {
  noSuchImage: 'There is no such image.',
  imageTooLarge: (megabytes: string) => `The image has ${megabytes} MB: at most 10 MB are taken.`,
  imageTooManyFrames: (frames: number, most: number) => `The image has ${frames} frames: at most ${most} are taken.`,
  imageTooManyPixels: (width: number, height: number, frames: number, megapixels: string) => {
    const size = `${frames > 1 ? `${frames} frames of ` : ''}${width} × ${height} pixels`;
    return `The image has ${size}, ${megapixels} megapixels: at most 40 are taken.`;
  },
  imageTooSlow: (format: string, seconds: number) =>
    `The ${format} image takes more than ${seconds} seconds to process.`,
  imageDamaged: (format: string) => `The ${format} image is damaged or cut short.`,

  fileEmpty: `The file is empty: ${EXPECTED}.`,
  fileOfKind: (kind: string) => `The file is ${kind}: ${EXPECTED}.`,
  kindTiff: 'a TIFF image',
  kindBmp: 'a BMP image',
  kindJpegXl: 'a JPEG XL image',
  kindHeic: 'a HEIC image',
  kindVideo: 'a video',
  kindSvg: 'an SVG document',
  kindHtml: 'an HTML page',
  kindPdf: 'a PDF document',
  kindZip: 'a ZIP archive',
  kindUnknown: (firstBytes: string) => `of another kind (it begins with the bytes ${firstBytes})`,

  avifUnusable: (reason: string) => `The AVIF image cannot be used: ${reason}.`,
  avifRepeats: 'it names the same bytes again and again',
  avifDamaged: 'it is damaged or cut short',
  avifBoxes: (type: string, found: number) => `expected one "${type}" box, not ${found || 'none'}`,
  avifTooManyBoxes: (most: number) => `it has more than ${most} boxes in one`,
  avifVersion: (version: number) => `its index has version ${version}, not 0 to 2`,
};
