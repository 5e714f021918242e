/** The generated secrets: the password of the embedded database, and the secret that signs access tokens. */
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { dataDirError } from '../../../src/platform/config/data-dir.js';
import { loadSecrets } from '../../../src/platform/config/secrets.js';
import { OperatorError } from '../../../src/platform/errors.js';

describe('secrets.json', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'daybook-test-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('is created once, with mode 600, and stays the same', async () => {
    const file = join(dataDir, 'secrets.json');
    const first = await loadSecrets(dataDir);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(Buffer.from(first.jwtSecret, 'base64url')).to.have.lengthOf(32);
    expect(first.jwtSecret).not.to.equal(first.databasePassword);
    await chmod(file, 0o644);
    expect(await loadSecrets(dataDir)).to.deep.equal(first);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(await readdir(dataDir)).to.deep.equal(['secrets.json']);
  });

  it('needs disk space, which the error asks for instead of another user', async () => {
    const error = await dataDirError(dataDir, Object.assign(new Error('write'), { code: 'ENOSPC' }));
    expect(error.message).to.equal(`DATA_DIR cannot be used: no space is left for ${dataDir}. Free disk space`);
  });

  it('is the same for all simultaneous starts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => loadSecrets(join(dataDir, 'new'))));
    expect(new Set(all.map(({ jwtSecret }) => jwtSecret))).to.have.lengthOf(1);
  });

  for (const text of ['', '{"jwtSecret": "short"}', 'null']) {
    it(`is not overwritten when its content is invalid: ${text || 'nothing'}`, async () => {
      await writeFile(join(dataDir, 'secrets.json'), text);
      const error = await loadSecrets(dataDir).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error)).to.include(`${join(dataDir, 'secrets.json')} cannot be used`);
    });
  }
});
