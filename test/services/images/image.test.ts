/** Processing of uploaded images: formats, size, orientation, metadata, animation. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { prepareImage } from '../../../src/services/images/image.js';
import { flat, frames, twoColors, withPreviewSegment } from '../../support/images.js';

const MEMBER = { key: 'm1' };

describe('An uploaded image', function () {
  this.timeout(30_000);

  const KINDS: readonly (readonly [string, (image: Sharp) => Sharp])[] = [
    ['JPEG', (image) => image.jpeg()],
    ['progressive JPEG', (image) => image.jpeg({ progressive: true })],
    ['PNG', (image) => image.png()],
    ['interlaced PNG', (image) => image.png({ progressive: true })],
    ['16-bit PNG', (image) => image.toColourspace('rgb16').png()],
    ['CMYK JPEG', (image) => image.toColourspace('cmyk').jpeg()],
    ['WebP', (image) => image.webp()],
    ['GIF', (image) => image.gif()],
    ['AVIF', (image) => image.avif({ effort: 0 })],
  ];

  for (const [kind, encode] of KINDS) {
    it(`is converted to WebP in two widths from this format: ${kind}`, async () => {
      const prepared = await prepareImage(await encode(twoColors(640, 400)).toBuffer(), MEMBER);
      expect(prepared).to.include({ width: 640, height: 400 });
      await expectWebp(prepared.image, 640, 400);
      expect(prepared.sizes.map(({ width }) => width)).to.deep.equal([320]);
      await expectWebp(prepared.sizes[0]?.bytes, 320, 200);
      expect(await colorAt(prepared.image, 100, 200)).to.equal('red');
      expect(await colorAt(prepared.image, 540, 200)).to.equal('blue');
    });
  }

  it('is read from any part of a larger array', async () => {
    const png = await flat(8, 8).png().toBuffer();
    const inside = new Uint8Array(png.length + 20).fill(7);
    inside.set(png, 10);
    expect(await prepareImage(inside.subarray(10, 10 + png.length), MEMBER)).to.include({ width: 8, height: 8 });
  });

  it('is scaled down to 2,048 pixels on its longer side', async () => {
    const wide = await prepareImage(await flat(4096, 1024).png().toBuffer(), MEMBER);
    expect([wide.width, wide.height]).to.deep.equal([2048, 512]);
    const sizes = [320, 640, 1280, 1920];
    expect(wide.sizes.map(({ width }) => width)).to.deep.equal(sizes);
    for (const { width, bytes } of wide.sizes) await expectWebp(bytes, width, width / 4);
    const tall = await prepareImage(await flat(1000, 4096).png().toBuffer(), MEMBER);
    expect([tall.width, tall.height]).to.deep.equal([500, 2048]);
    expect(tall.sizes.map(({ width }) => width)).to.deep.equal([320]);
  });

  it('is never enlarged', async () => {
    const { image, sizes } = await prepareImage(await flat(30, 20).png().toBuffer(), MEMBER);
    await expectWebp(image, 30, 20);
    expect(sizes).to.deep.equal([]);
  });

  it('keeps its transparency, in every width', async () => {
    const clear = await sharp({ create: { width: 400, height: 9, channels: 4, background: '#ff000000' } })
      .png()
      .toBuffer();
    const { image, sizes } = await prepareImage(clear, MEMBER);
    for (const bytes of [image, ...sizes.map((size) => size.bytes)]) {
      expect((await sharp(bytes).stats()).isOpaque).to.equal(false);
    }
  });

  it('has smaller sizes made from the upload, without the losses of the full size', async () => {
    const upload = await sharp(readFileSync('docs/images/explorer-light.png')).resize(1600).png().toBuffer();
    const { sizes } = await prepareImage(upload, MEMBER);
    const [expected, actual] = await Promise.all([upload, sizes[2]?.bytes].map((bytes) => pixelsOf(bytes, 1280)));
    const squares = expected?.reduce((sum, value, at) => sum + (value - (actual?.[at] ?? 0)) ** 2, 0) ?? Number.NaN;
    // 23 from the encoded full size, 13 from the upload.
    expect(squares / (actual?.length ?? 0)).to.be.below(18);
  });

  it('is rotated according to its EXIF orientation', async () => {
    const turned = await twoColors(40, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { image, width, height } = await prepareImage(turned, MEMBER);
    expect([width, height]).to.deep.equal([20, 40]);
    expect(await colorAt(image, 10, 5)).to.equal('red');
    expect(await colorAt(image, 10, 35)).to.equal('blue');
  });

  it('loses its GPS position and all other metadata', async () => {
    const photo = await flat(360, 40)
      .withExif({ IFD0: { Copyright: 'Jane Roe' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>')
      .withIccProfile('p3', { attach: true })
      .jpeg()
      .toBuffer();
    const before = await sharp(photo).metadata();
    expect([before.exif, before.xmp, before.icc]).to.not.include(undefined);
    const { image, sizes } = await prepareImage(photo, MEMBER);
    expect(sizes).to.have.length(1);
    for (const kept of [image, ...sizes.map(({ bytes }) => bytes)]) {
      const after = await sharp(kept).metadata();
      expect([after.exif, after.xmp, after.icc, after.iptc]).to.deep.equal(Array(4).fill(undefined));
      expect(kept.toString('latin1')).to.not.match(/Jane Roe|secret|ICCP|EXIF/);
    }
  });

  for (const kind of ['gif', 'webp'] as const) {
    it(`stays animated when it is an animated ${kind.toUpperCase()}, in every width`, async () => {
      const moving = await frames(4, 400)
        .toFormat(kind, { delay: [100, 200, 300, 400], loop: 3 })
        .toBuffer();
      const { image, sizes, width, height } = await prepareImage(moving, MEMBER);
      expect([width, height]).to.deep.equal([400, 400]);
      for (const bytes of [image, ...sizes.map((size) => size.bytes)]) {
        const after = await sharp(bytes).metadata();
        expect(after).to.deep.include({ format: 'webp', pages: 4, delay: [100, 200, 300, 400], loop: 3 });
      }
      await expectWebp(sizes[0]?.bytes, 320, 320);
    });
  }

  it('is scaled down frame by frame when it is animated', async () => {
    const moving = await frames(2, 3000, 300).gif({ effort: 1 }).toBuffer();
    expect(await prepareImage(moving, MEMBER)).to.include({ width: 2048, height: 205 });
  });

  it('is accepted with an embedded preview, as phones write it', async () => {
    const photo = withPreviewSegment(await twoColors(64, 40).jpeg().toBuffer());
    expect(await prepareImage(photo, MEMBER)).to.include({ width: 64, height: 40 });
  });

  it('is accepted as a JPEG that causes only a decoder warning, as cameras write it', async () => {
    const photo = await twoColors(64, 40).jpeg().toBuffer();
    const tables = photo.indexOf(Buffer.from([0xff, 0xc4]));
    const odd = Buffer.concat([photo.subarray(0, tables), Buffer.from([1, 2, 3]), photo.subarray(tables)]);
    expect(await prepareImage(odd, MEMBER)).to.include({ width: 64, height: 40 });
  });

  it('is accepted with trailing bytes, which are dropped', async () => {
    const photo = Buffer.concat([await flat(64, 40).jpeg().toBuffer(), Buffer.from('<script>alert(1)</script>')]);
    const { image } = await prepareImage(photo, MEMBER);
    expect(image.includes('script')).to.equal(false);
  });
});

async function expectWebp(bytes: Buffer | undefined, width: number, height: number): Promise<void> {
  const found = await sharp(bytes).metadata();
  expect(found).to.include({ format: 'webp', width, height, space: 'srgb', depth: 'uchar' });
}

function pixelsOf(bytes: Buffer | undefined, width: number): Promise<Buffer> {
  return sharp(bytes).resize({ width }).removeAlpha().raw().toBuffer();
}

/** The nearer of the two colors, since CMYK does not preserve them exactly. */
async function colorAt(bytes: Buffer, left: number, top: number): Promise<string> {
  const [red = 0, , blue = 0] = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
  if (Math.abs(red - blue) < 100) return `neither, with ${red} of red and ${blue} of blue`;
  return red > blue ? 'red' : 'blue';
}
