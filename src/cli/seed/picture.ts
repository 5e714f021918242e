/** Draws the picture of the sample journal, hills and water in low sun: neither a file in the repository nor the network is needed. */
import sharp from 'sharp';

const WIDTH = 1600;
const HEIGHT = 900;
const [SUN_X, SUN_Y] = [1120, 330];

type Color = readonly [red: number, green: number, blue: number];

const SKY: Color = [92, 122, 158];
const GLOW: Color = [255, 214, 158];
const MIST: Color = [214, 196, 178];
const PEAT: Color = [48, 38, 28];
const RIDGES = 6;

/** As a JPEG, as from a camera. */
export function drawPicture(): Promise<Buffer> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  const horizons = Array.from({ length: RIDGES }, (_, ridge) => horizonOf(ridge));
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const [red, green, blue] = colorAt(x, y, horizons);
      pixels.set([red, green, blue], (y * WIDTH + x) * 3);
    }
  }
  const raw = { width: WIDTH, height: HEIGHT, channels: 3 } as const;
  return sharp(pixels, { raw }).jpeg({ quality: 90 }).toBuffer();
}

/** The height of each column of a ridge: near ridges are lower and rougher. */
function horizonOf(ridge: number): number[] {
  const base = 400 + ridge * 62;
  return Array.from({ length: WIDTH }, (_, x) => {
    const hills = noise(x / (420 - ridge * 50), ridge) * (95 - ridge * 9);
    return base - hills - noise(x / 40, ridge + 50) * 9 - noise(x / 7, ridge + 90) * ridge * 1.2;
  });
}

function colorAt(x: number, y: number, horizons: readonly (readonly number[])[]): Color {
  const ridge = horizons.findLastIndex((horizon) => y >= (horizon[x] ?? 0));
  const light = Math.exp(-Math.hypot((x - SUN_X) / 620, (y - SUN_Y) / 250));
  const sky =
    Math.hypot(x - SUN_X, y - SUN_Y) < 34 ? ([255, 246, 226] as const) : mix(mix(SKY, MIST, y / 520), GLOW, light);
  if (ridge < 0) return sky;
  const below = y - (horizons[ridge]?.[x] ?? 0);
  const land = mix(mix(MIST, GLOW, light * 0.6), PEAT, 0.22 + ridge * 0.14 - Math.min(0.16, below / 700));
  if (ridge < RIDGES - 1) return land;
  const pool = noise(x / 190, y / 17) - Math.abs(y - 800) / 260;
  const grass = 0.75 + 0.5 * noise(x / 3, y / 9);
  return pool > 0.42
    ? mix(mix(SKY, GLOW, 0.25 + light), PEAT, 0.25 - (pool - 0.42) * 0.5)
    : mix(land, PEAT, grass * 0.7);
}

/** Smooth noise from 0 to 1, always the same. */
function noise(x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [smooth(x - left), smooth(y - top)];
  const row = (at: number) => random(left, at) * (1 - right) + random(left + 1, at) * right;
  return row(top) * (1 - down) + row(top + 1) * down;
}

function random(x: number, y: number): number {
  const wave = Math.sin(x * 127.1 + y * 311.7) * 43_758.5453;
  return wave - Math.floor(wave);
}

function smooth(part: number): number {
  return part * part * (3 - 2 * part);
}

function mix(from: Color, to: Color, share: number): Color {
  const part = Math.min(1, Math.max(0, share));
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part, from[2] + (to[2] - from[2]) * part];
}
