/** Image stores: a local folder and an S3 server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { loadConfig } from '../../../src/platform/config/index.js';
import { ServiceFailure } from '../../../src/platform/errors.js';
import { type ImageStore, openImageStore } from '../../../src/services/images/store.js';
import { makeFolder } from '../../support/folder.js';
import { type S3Server, startS3 } from '../../support/s3.js';
import { until } from '../../support/until.js';

const FULL = Buffer.from('the full image');
const SMALL = Buffer.from('the small image');
const IMAGE = { image: FULL, sizes: [{ width: 320 as const, bytes: SMALL }] };

describe('The image store', () => {
  let folder: string;

  before(async () => {
    folder = await makeFolder();
  });
  describe('in a folder', () => {
    keepsImages(() => openImageStore({ storage: 'local', directory: join(folder, 'made', 'when', 'needed') }));

    it('never exposes an incomplete image, even if the process is killed during a write', async () => {
      const directory = join(folder, 'killed');
      await mkdir(directory);
      const size = 200_000_000;
      const child = spawn(process.execPath, ['--input-type=module', '-e', savingScript(directory, size)]);
      await until(async () => child.exitCode !== null || (await readdir(directory)).length >= 2);
      if (child.kill('SIGKILL')) await once(child, 'exit');
      const names = await readdir(directory);
      for (const name of names.filter((name) => name.endsWith('.webp'))) {
        expect((await stat(join(directory, name))).size, name).to.equal(size);
      }
      expect(names.length).to.be.greaterThan(0);
    });

    it('removes temporary files older than an hour at the start', async () => {
      const directory = join(folder, 'leftovers');
      await mkdir(directory);
      for (const name of ['old.webp.part', 'new.webp.part', 'old.webp']) await writeFile(join(directory, name), 'x');
      const twoHoursAgo = Date.now() / 1000 - 7200;
      for (const name of ['old.webp.part', 'old.webp']) await utimes(join(directory, name), twoHoursAgo, twoHoursAgo);
      await openImageStore({ storage: 'local', directory });
      expect((await readdir(directory)).sort()).to.deep.equal(['new.webp.part', 'old.webp']);
    });

    it('leaves no files behind when a write fails', async () => {
      const store = await openImageStore({ storage: 'local', directory: join(folder, 'refusing') });
      const image = { ...IMAGE, image: { not: 'bytes' } as unknown as Buffer };
      expect(await store.save(image).catch((error: unknown) => error)).to.be.instanceOf(Error);
      expect(await readdir(join(folder, 'refusing'))).to.deep.equal([]);
    });
  });

  describe('on S3', () => {
    let server: S3Server;
    before(async () => {
      // Silences the warning about Node versions that later AWS SDK versions will not support.
      process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
      server = await startS3({ pageSize: 3 });
      server.createBucket('journal');
    });
    after(() => server.stop());

    const open = (bucket: string, environment: NodeJS.ProcessEnv = {}) => {
      const store = { STORAGE: 's3', S3_BUCKET: bucket, S3_REGION: 'eu-central-1' };
      return openImageStore(loadConfig({ ...server.environment, ...store, ...environment }).imageStore);
    };
    keepsImages(() => open('journal'));

    it('fails to save when the bucket does not exist, or the secret is wrong', async () => {
      const messageOf = async (store: Promise<ImageStore>) =>
        ((await (await store).save(IMAGE).catch((error: unknown) => error)) as Error).message;
      expect(await messageOf(open('elsewhere'))).to.include('NoSuchBucket');
      expect(await messageOf(open('journal', { S3_SECRET_ACCESS_KEY: 'wrong' }))).to.include('SignatureDoesNotMatch');
    });

    it('fails to read when the bucket does not exist', async () => {
      const store = await open('elsewhere');
      expect(await store.read(`${'0'.repeat(32)}.webp`).catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

    it('saves in a second attempt, but not in a third one', async () => {
      const store = await open('journal');
      const image = { image: FULL, sizes: [] };
      server.failNext(503, 'SlowDown');
      const key = await store.save(image);
      expect(await read(store, `${key}.webp`)).to.deep.equal(FULL);
      for (let attempt = 1; attempt <= 2; attempt++) server.failNext(503, 'SlowDown');
      expect(await store.save(image).catch((error: unknown) => error)).to.be.instanceOf(ServiceFailure);
    });
  });
});

/** Tests that every store must pass. */
function keepsImages(open: () => Promise<ImageStore>): void {
  let store: ImageStore;
  before(async () => {
    store = await open();
  });

  it('stores all sizes under one random key', async () => {
    const key = await store.save(IMAGE);
    expect(key).to.match(/^[0-9a-f]{32}$/);
    expect(await read(store, `${key}.webp`)).to.deep.equal(FULL);
    expect(await read(store, `${key}-320.webp`)).to.deep.equal(SMALL);
  });

  it('returns a different key for each save of the same image', async () => {
    expect(await store.save(IMAGE)).to.not.equal(await store.save(IMAGE));
  });

  it('stores large images completely', async () => {
    const large = Buffer.alloc(5_000_000, 'large');
    const key = await store.save({ ...IMAGE, image: large });
    expect((await read(store, `${key}.webp`))?.equals(large)).to.equal(true);
  });

  it('lists its files, and keeps those of a restore only if it is committed', async () => {
    const names = async () => {
      const found: string[] = [];
      for await (const name of store.names()) found.push(name);
      return found.sort();
    };
    const existing = `${await store.save(IMAGE)}.webp`;
    const added = `${'0'.repeat(32)}.webp`;
    const before = await names();
    expect(before).to.include(existing);
    const failed = store.restore();
    for (const name of [existing, added]) await failed.add(name, SMALL);
    await failed.discard();
    expect(await names()).to.deep.equal(before);
    const restored = store.restore();
    for (const name of [existing, added]) await restored.add(name, SMALL);
    await restored.commit();
    expect(await names()).to.deep.equal([...before, added].sort());
    expect([await read(store, existing), await read(store, added)]).to.deep.equal([FULL, SMALL]);
  });

  it('removes all sizes, and ignores missing ones', async () => {
    const key = await store.save(IMAGE);
    await store.remove(key);
    await store.remove(key);
    expect(await read(store, `${key}.webp`)).to.equal(undefined);
    expect(await read(store, `${key}-320.webp`)).to.equal(undefined);
  });

  it('rejects names that are not generated keys', async () => {
    const key = await store.save(IMAGE);
    for (const name of ['', '.', '..', '../secret', key, `${key}.webp.part`, `../${key}.webp`, `${key}-321.webp`]) {
      expect(await store.read(name), name).to.equal(undefined);
    }
    const removed = await store.remove('../secret').catch((error: unknown) => error);
    expect(removed).to.be.instanceOf(TypeError);
  });

  it('returns the URL of each size', () => {
    const key = 'a'.repeat(32);
    expect(store.url(key, 'https://example.org/blog')).to.equal(`https://example.org/blog/images/${key}.webp`);
    expect(store.url(key, 'https://example.org', 320)).to.equal(`https://example.org/images/${key}-320.webp`);
  });
}

async function read(store: ImageStore, name: string): Promise<Buffer | undefined> {
  const found = await store.read(name);
  if (!found) return undefined;
  const bytes = await buffer(await found.open());
  expect(found.size).to.equal(bytes.length);
  return bytes;
}

/** Saves one image whose two files have `size` bytes each. */
function savingScript(directory: string, size: number): string {
  return `
    import { openImageStore } from ${JSON.stringify(new URL('../../../src/services/images/store.js', import.meta.url).href)};
    const store = await openImageStore({ storage: 'local', directory: ${JSON.stringify(directory)} });
    await store.save({ image: Buffer.alloc(${size}), sizes: [{ width: 320, bytes: Buffer.alloc(${size}) }] });`;
}
