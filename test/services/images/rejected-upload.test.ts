/** Uploads that are not an image, or a malicious one: each is rejected with its reason, within bounded memory. */
import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { type ErrorKey } from '../../../src/platform/error-keys.js';
import { AppError } from '../../../src/platform/errors.js';
import { MAX_IMAGE_BYTES, prepareImage } from '../../../src/services/images/image.js';
import { apngOf, avifNaming, flat, gifOf, noise, pngOf } from '../../support/images.js';

const MEMBER = { key: 'm1' };
const EXPECTED = 'expected a JPEG, PNG, WebP, GIF or AVIF image';

describe('An unusable image upload', function () {
  this.timeout(30_000);

  const OTHERS: readonly (readonly [string, string | Buffer])[] = [
    ['an SVG document', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'],
    ['an SVG document', '\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n<svg width="9" height="9"/>'],
    ['an HTML page', '<!DOCTYPE html><title>Hi</title>'],
    ['a PDF document', '%PDF-1.7\n'],
    ['a HEIC image', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
    ['a video', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1')],
    ['of an unknown type (first bytes: 47 49 46 38 38 61)', 'GIF88a'],
    ['of an unknown type (first bytes: 00)', '\0'],
    ['empty', ''],
  ];
  for (const [what, bytes] of OTHERS) {
    it(`is rejected when it is ${what}`, () => expectRejected(bytes, `The file is ${what}: ${EXPECTED}.`));
  }

  it('is rejected when it is a TIFF image, although the decoder supports it', async () => {
    await expectRejected(await flat(9, 9).tiff().toBuffer(), `The file is a TIFF image: ${EXPECTED}.`);
  });

  const KINDS: Record<string, (image: Sharp) => Sharp> = {
    JPEG: (image) => image.jpeg(),
    PNG: (image) => image.png(),
    WebP: (image) => image.webp(),
    GIF: (image) => image.gif(),
    AVIF: (image) => image.avif({ effort: 0 }),
  };
  for (const [kind, encode] of Object.entries(KINDS)) {
    it(`is rejected when it is a truncated ${kind}, at any length`, async () => {
      const whole = await encode(noise(300, 200)).toBuffer();
      for (const part of [0.02, 0.3, 0.6, 0.9]) {
        await expectRejected(whole.subarray(0, Math.max(16, whole.length * part)), /is damaged or truncated\.$/);
      }
    });
  }

  it('is rejected when only noise follows a valid signature', async () => {
    for (const start of ['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'RIFF\xff\0\0\0WEBP', 'GIF89a', '\0\0\0\x0cftypavif']) {
      await expectRejected(Buffer.from(start.padEnd(900, 'noise'), 'latin1'), /is damaged or truncated\.$/);
    }
  });

  const TOO_LARGE = 'has 20000 × 10000 pixels, 200.0 megapixels: at most 40 are allowed.';
  it('is rejected when a tiny PNG declares 200 megapixels', () =>
    expectRejected(pngOf(20_000, 10_000), `The image ${TOO_LARGE}`));
  it('is rejected when a tiny GIF declares 200 megapixels', () =>
    expectRejected(gifOf(20_000, 10_000), `The image ${TOO_LARGE}`));

  it('is rejected when the frames have more than 40 megapixels in total', async () => {
    const message = 'The image has 41 frames of 1000 × 1000 pixels, 41.0 megapixels: at most 40 are allowed.';
    await expectRejected(gifOf(1000, 1000, 41), message);
  });

  it('is rejected when it has 10,000 frames', async () => {
    await expectRejected(gifOf(1, 1, 10_000), 'The image has 10000 frames: at most 1000 are allowed.');
  });

  it('is converted to one still image when it is a PNG with 10,000 frames', async () => {
    const { image } = await prepareImage(apngOf(10_000), MEMBER);
    expect((await sharp(image).metadata()).pages).to.equal(undefined);
  });

  it('is rejected when an AVIF refers to the same bytes repeatedly', async () => {
    const message = 'The AVIF image cannot be used: it refers to the same bytes repeatedly.';
    await expectRejected(avifNaming(1_000_000, 32), message);
    await expectRejected(avifNaming(0, 65_535), message);
  });

  it('is rejected above its maximum size', async () => {
    const max = MAX_IMAGE_BYTES / 1024 / 1024;
    await expectRejected(
      Buffer.alloc(MAX_IMAGE_BYTES + 104_858),
      `The image is ${max}.1 MiB: at most ${max} MiB is allowed.`,
      'PAYLOAD_TOO_LARGE',
    );
  });
});

async function expectRejected(
  bytes: string | Buffer,
  message: string | RegExp,
  key: ErrorKey = 'IMAGE_INVALID',
): Promise<void> {
  const error = await prepareImage(Buffer.from(bytes), MEMBER).catch((thrown: unknown) => thrown);
  expect(error, 'it was taken').to.be.instanceOf(AppError);
  const rejection = error as AppError;
  expect(rejection.key).to.equal(key);
  if (typeof message === 'string') expect(rejection.message).to.equal(message);
  else expect(rejection.message).to.match(message);
}
