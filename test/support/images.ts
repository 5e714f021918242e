/** Generates images for tests: valid ones with sharp, hostile ones byte by byte. */
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** One color. */
export function flat(width: number, height: number, background = '#ff0000'): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Red on the left, blue on the right. */
export function twoColors(width: number, height: number): Sharp {
  const right = { create: { width: width / 2, height, channels: 3 as const, background: '#0000ff' } };
  return flat(width, height).composite([{ input: right, gravity: 'east' }]);
}

/** Noise, the slowest content for decoders and encoders. */
export function noise(width: number, height: number): Sharp {
  return sharp({
    create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });
}

/** Frames of different gray, stacked vertically as sharp requires. */
export function frames(count: number, width: number, height = width): Sharp {
  const bytes = width * height * 3;
  const pixels = Buffer.alloc(count * bytes);
  for (let frame = 0; frame < count; frame++) pixels.fill(frame * 40, frame * bytes, (frame + 1) * bytes);
  return sharp(pixels, { raw: { width, height: count * height, channels: 3, pageHeight: height } });
}

/** A PNG that declares a size but has almost no pixel data. `extra` chunks precede the pixel data. */
export function pngOf(width: number, height: number, extra: Buffer[] = []): Buffer {
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(1 + 3 * Math.min(width, 100))));
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 2, 0, 0, 0])]);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), ...extra, pixels, chunk('IEND', Buffer.alloc(0))]);
}

/** An APNG that declares `count` frames and contains all of them. */
export function apngOf(count: number): Buffer {
  const control = (index: number) => chunk('fcTL', Buffer.concat([u32(index), u32(1), u32(1), Buffer.alloc(14)]));
  const pixel = deflateSync(Buffer.alloc(4));
  const later = Array.from({ length: count - 1 }, (_, frame) => [
    control(2 * frame + 1),
    chunk('fdAT', Buffer.concat([u32(2 * frame + 2), pixel])),
  ]);
  const [first, end] = [pngOf(1, 1, [chunk('acTL', Buffer.concat([u32(count), u32(0)])), control(0)]), 12];
  return Buffer.concat([first.subarray(0, -end), ...later.flat(), first.subarray(-end)]);
}

/** A PNG with comments of a few kilobytes each that decompress to 7.9 MB each. */
export function pngWithComments(count: number): Buffer {
  const comment = chunk(
    'zTXt',
    Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(7_900_000))]),
  );
  return pngOf(1, 1, Array<Buffer>(count).fill(comment));
}

/** A GIF of `count` frames that all declare the full size. */
export function gifOf(width: number, height: number, count = 1): Buffer {
  const size = Buffer.concat([u16(width), u16(height)]);
  const head = Buffer.concat([Buffer.from('GIF89a'), size, Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255])]);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]);
  const pixels = Buffer.from([0, 2, 2, 0x44, 1, 0]);
  const frame = Buffer.concat([control, Buffer.from([0x2c, 0, 0, 0, 0]), size, pixels]);
  return Buffer.concat([head, ...Array<Buffer>(count).fill(frame), Buffer.from([0x3b])]);
}

/** An AVIF whose index lists the same `length` bytes `extents` times for one item. */
export function avifNaming(length: number, extents: number): Buffer {
  const extent = Buffer.concat([u32(0), u32(length)]);
  const item = Buffer.concat([u16be(1), u16be(0), u16be(extents), ...Array<Buffer>(extents).fill(extent)]);
  const iloc = box('iloc', u32(0), Buffer.from([0x44, 0]), u16be(1), item);
  return Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0avif')),
    box('meta', u32(0), iloc),
    box('mdat', Buffer.alloc(length)),
  ]);
}

/** Inserts an empty multi-picture segment (MPF) at the start, as phones do for previews. */
export function withPreviewSegment(jpeg: Buffer): Buffer {
  const segment = Buffer.concat([Buffer.from([0xff, 0xe2, 0, 10]), Buffer.from('MPF\0\0\0\0\0')]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u16be(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}

function u16(value: number): Buffer {
  return Buffer.from([value & 255, value >> 8]);
}
