/** Peak memory of a process that prepares one image. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { makeFolder } from '../../support/folder.js';
import { flat, pngWithComments } from '../../support/images.js';

describe('Memory use of image processing', function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => {
    folder = await makeFolder();
  });
  // Node with sharp uses 70 MB at the start.
  const CASES: readonly (readonly [string, number, () => Buffer | Promise<Buffer>])[] = [
    ['a JPEG', 250, () => flat(8000, 5000).jpeg().toBuffer()],
    [
      'a progressive JPEG, turned',
      600,
      () => flat(8000, 5000).jpeg({ progressive: true }).withMetadata({ orientation: 6 }).toBuffer(),
    ],
    [
      'an interlaced PNG of 16 bits',
      600,
      () => flat(8000, 5000).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
    ],
    ['a WebP', 400, () => flat(8000, 5000).webp({ effort: 0 }).toBuffer()],
    ['an AVIF', 1_000, () => flat(8000, 5000).avif({ effort: 0 }).toBuffer()],
    ['a PNG with 7 GB of packed comments', 250, () => pngWithComments(900)],
  ];
  for (const [what, limit, make] of CASES) {
    it(`stays under ${limit} MB for ${what} at the limit`, async () => {
      const path = join(folder, 'image');
      await writeFile(path, await make());
      expect(await peakMegabytes(path)).to.be.below(limit);
    });
  }
});

/** Peak memory of a process that prepares one image. On Linux, maxRSS includes the parent image from before exec, so VmHWM is read. */
async function peakMegabytes(path: string): Promise<number> {
  const script = `
    import { readFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    import { prepareImage } from ${JSON.stringify(new URL('../../../src/services/images/image.js', import.meta.url).href)};
    await prepareImage(await readFile(process.argv[1]), { key: 'm1' });
    const peak = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\\s*(\\d+)/)[1]
      : process.resourceUsage().maxRSS;
    process.stdout.write(String(peak / 1024));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, path]);
  return Number(stdout);
}
