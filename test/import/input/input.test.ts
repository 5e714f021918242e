/** Files, folders and archives to import: what becomes an entry, and hostile ones. */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import yazl from 'yazl';
import { EntryError } from '../../../src/import/input/entries.js';
import { type Input, MAX_TEXT_BYTES, openInput, readBytes, readText } from '../../../src/import/input.js';
import { FileError } from '../../../src/platform/errors.js';
import { makeFolder } from '../../support/folder.js';
import { withZip64End, type ZipFile, zipOf } from '../../support/zip.js';

const opened: Input[] = [];

async function openAt(path: string): Promise<Input> {
  const input = await openInput(path);
  opened.push(input);
  return input;
}

async function pathOf(content: Buffer | string): Promise<string> {
  const path = join(await makeFolder(), 'given.zip');
  await writeFile(path, content);
  return path;
}

const openZip = async (files: ZipFile[]) => openAt(await pathOf(zipOf(files)));

/** The paths of the entries, and what was left out by its path. */
function listOf(input: Input) {
  const leftOut = Object.fromEntries(input.leftOut.map(({ path, reason }) => [path, reason]));
  return { paths: [...input.entries()].map(({ path }) => path), leftOut };
}

async function textAt(input: Input, path: string): Promise<string> {
  const entry = input.find(path);
  if (!entry) throw new Error(`${path} is not an entry`);
  return (await readText(entry)).text;
}

async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  );
}

const LINK = 0o120777 << 16;
const UNSAFE = 'files with a path that leads out of the folder or is invalid';

describe('An input', () => {
  afterEach(async () => {
    for (const input of opened.splice(0)) await input.close();
  });

  it('is one file, which can be read twice', async () => {
    const input = await openAt(await pathOf('Dear diary'));
    expect(input.kind).to.equal('file');
    expect(listOf(input).paths).to.deep.equal(['given.zip']);
    // The beginning only, as when it is recognized.
    for await (const chunk of (await input.find('given.zip')?.open()) ?? []) {
      expect(String(chunk)).to.equal('Dear diary');
      break;
    }
    expect([await textAt(input, 'given.zip'), await textAt(input, './given.zip')]).to.deep.equal([
      'Dear diary',
      'Dear diary',
    ]);
  });

  it('is a folder, in the order of paths', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'b', 'c'), { recursive: true });
    for (const path of ['z.md', 'b/c/한.md', 'b/x.md', 'a.md', 'empty.md'])
      await writeFile(join(folder, path), path === 'empty.md' ? '' : path);
    const input = await openAt(folder);
    expect(input.kind).to.equal('folder');
    expect(listOf(input)).to.deep.equal({ paths: ['a.md', 'b/c/한.md', 'b/x.md', 'empty.md', 'z.md'], leftOut: {} });
    expect(await textAt(input, 'b/c/한.md')).to.equal('b/c/한.md');
    expect(await textAt(input, 'empty.md')).to.equal('');
  });

  it('is an archive, recognized by its content', async () => {
    const zip = new yazl.ZipFile();
    zip.addBuffer(Buffer.from('봄'.repeat(1000)), 'posts/봄.md');
    zip.addBuffer(Buffer.from('stored'), 'a.md', { compress: false });
    zip.addEmptyDirectory('empty/');
    zip.end();
    const chunks: Buffer[] = [];
    for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk));
    const input = await openAt(await pathOf(Buffer.concat(chunks)));
    expect(input.kind).to.equal('archive');
    expect(listOf(input)).to.deep.equal({ paths: ['a.md', 'posts/봄.md'], leftOut: {} });
    expect(await textAt(input, 'posts/봄.md')).to.equal('봄'.repeat(1000));
    expect(await textAt(input, 'a.md')).to.equal('stored');
  });

  it('is an archive without files', async () => {
    expect(listOf(await openZip([]))).to.deep.equal({ paths: [], leftOut: {} });
  });

  it('that does not exist, or is not a file, is an error with a message', async () => {
    const missing = await failure(openInput(join(await makeFolder(), 'none')));
    expect([missing.name, missing.message]).to.deep.equal(['FileError', 'it does not exist']);
    const pipe = join(await makeFolder(), 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    for (const path of ['/dev/null', pipe])
      expect((await failure(openInput(path))).message).to.equal('it is neither a file nor a folder');
  });
});

describe('A folder to import', () => {
  afterEach(async () => {
    for (const input of opened.splice(0)) await input.close();
  });

  it('is never left through links', async () => {
    const [folder, outside] = [await makeFolder(), await makeFolder()];
    await writeFile(join(outside, 'secret.md'), 'secret');
    await writeFile(join(folder, 'own.md'), 'own');
    await symlink(join(outside, 'secret.md'), join(folder, 'link.md'));
    await symlink(outside, join(folder, 'linked'));
    await symlink('..', join(folder, 'loop'));
    const input = await openAt(folder);
    expect(listOf(input)).to.deep.equal({
      paths: ['own.md'],
      leftOut: { 'link.md': 'symbolic links', linked: 'symbolic links', loop: 'symbolic links' },
    });
    for (const path of ['linked/secret.md', '../secret.md', '/etc/hostname', 'link.md'])
      expect(input.find(path), path).to.equal(null);
  });

  it('is not left either if a file or a folder is replaced by a link later', async () => {
    const [folder, outside] = [await makeFolder(), await makeFolder()];
    await mkdir(join(folder, 'posts'));
    for (const path of [join(folder, 'posts', 'a.md'), join(folder, 'b.md')]) await writeFile(path, 'own');
    for (const name of ['a.md', 'b.md']) await writeFile(join(outside, name), 'secret');
    const input = await openAt(folder);
    await rename(join(folder, 'posts'), join(folder, 'moved'));
    await symlink(outside, join(folder, 'posts'));
    await rm(join(folder, 'b.md'));
    await symlink(join(outside, 'b.md'), join(folder, 'b.md'));
    for (const path of ['posts/a.md', 'b.md']) {
      const error = await failure(textAt(input, path));
      expect(error, path).to.be.instanceOf(EntryError);
      expect(error.message, path).to.match(/^it(s folder was replaced by a link| cannot be read \(ELOOP\))$/);
    }
  });

  it('is read without pipes and without the files of tools', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, '.git', 'objects'), { recursive: true });
    await writeFile(join(folder, '.git', 'objects', 'x.md'), '');
    await writeFile(join(folder, '.git', 'y.md'), '');
    await writeFile(join(folder, 'a.md'), '');
    await promisify(execFile)('mkfifo', [join(folder, 'pipe.md')]);
    expect(listOf(await openAt(folder))).to.deep.equal({
      paths: ['a.md'],
      leftOut: { '.git': 'files of the operating system and of tools', 'pipe.md': 'devices, pipes and sockets' },
    });
  });

  it('has names in NFD and EUC-KR', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, '봄.md'.normalize('NFD')), 'NFD');
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from('c0cfb1e22e6d64', 'hex')]), 'EUC-KR');
    const input = await openAt(folder);
    expect(listOf(input).paths).to.deep.equal(['봄.md', '일기.md']);
    expect([await textAt(input, '봄.md'.normalize('NFD')), await textAt(input, '일기.md')]).to.deep.equal([
      'NFD',
      'EUC-KR',
    ]);
  });
});

describe('An archive to import', () => {
  afterEach(async () => {
    for (const input of opened.splice(0)) await input.close();
  });

  it('has no entries with paths that lead out of it', async () => {
    const unsafe = ['../a.md', 'x/../../a.md', '/etc/a.md', 'C:\\a.md', '..\\a.md', '\\\\server\\a.md', 'a\0.md'];
    const input = await openZip([...unsafe.map((name) => ({ name })), { name: './x//b.md' }, { name: 'x\\c.md' }]);
    expect(listOf(input).paths).to.deep.equal(['x/b.md', 'x/c.md']);
    expect(input.leftOut.map(({ reason }) => reason)).to.deep.equal(Array(unsafe.length).fill(UNSAFE));
  });

  it('has no links, encrypted files or unknown compression, and opens no archives in it', async () => {
    const inner = zipOf([{ name: 'inner.md', content: 'inner' }]);
    const input = await openZip([
      { name: 'link.md', content: '/etc/hostname', attributes: LINK },
      // Encryption adds twelve bytes.
      { name: 'secret.md', content: 'x'.repeat(13), size: 1, flags: 0x801 },
      { name: 'lzma.md', content: 'x', method: 14 },
      { name: 'inner.zip', content: inner },
      { name: '__MACOSX/a.md', content: '' },
      { name: '__MACOSX/b.md', content: '' },
    ]);
    expect(listOf(input)).to.deep.equal({
      paths: ['inner.zip'],
      leftOut: {
        'link.md': 'symbolic links',
        'secret.md': 'encrypted files',
        'lzma.md': 'files with a method of compression other than Deflate',
        __MACOSX: 'files of the operating system and of tools',
      },
    });
  });

  it('has names in UTF-8, NFD, EUC-KR and CP437, declared or not', async () => {
    const names = [
      Buffer.from('봄.md'),
      Buffer.from('꽃.md'.normalize('NFD')),
      Buffer.from('c0cfb1e22e6d64', 'hex'),
      Buffer.from('63616682842e6d64', 'hex'),
    ];
    const input = await openZip(names.map((name) => ({ name, content: name.toString('hex') })));
    expect(listOf(input).paths).to.deep.equal(['caféä.md', '꽃.md', '봄.md', '일기.md']);
    expect(await textAt(input, '일기.md')).to.equal('c0cfb1e22e6d64');
  });

  it('uses the first of several files with the same path, in any normal form', async () => {
    const files = ['가.md', '가.md'.normalize('NFD'), './가.md'].map((name, index) => ({ name, content: `${index}` }));
    const input = await openZip(files);
    expect(listOf(input).paths).to.deep.equal(['가.md']);
    expect(await textAt(input, '가.md')).to.equal('0');
    expect(input.leftOut.map(({ reason }) => reason)).to.deep.equal(Array(2).fill('further files with the same path'));
  });

  it('has no files that are too large or compressed too much', async () => {
    const input = await openZip([
      { name: 'large.md', content: 'x', isDeflated: true, size: 0xf0000000 },
      { name: 'bomb.md', content: Buffer.alloc(4 * 1024 * 1024), isDeflated: true },
      { name: 'small.md', content: Buffer.alloc(1024), isDeflated: true },
    ]);
    expect(listOf(input)).to.deep.equal({
      paths: ['small.md'],
      leftOut: {
        'large.md': 'files of more than 1 GiB',
        'bomb.md': 'files that are more than 200 times larger than their compressed form',
      },
    });
  });

  it('counts real bytes: a file that is larger than it declares is damaged', async () => {
    const input = await openZip([
      { name: 'liar.md', content: Buffer.alloc(8 * 1024 * 1024), isDeflated: true, size: 1000 },
    ]);
    const entry = input.find('liar.md');
    if (!entry) throw new Error('the file is missing');
    let length = 0;
    const error = await failure(
      (async () => {
        for await (const chunk of await entry.open()) length += chunk.length;
      })(),
    );
    expect(error).to.be.instanceOf(EntryError);
    expect(length).to.be.at.most(1000);
  });

  it('ends when overlapping files yield too much', async () => {
    const content = Buffer.alloc(1024 * 1024);
    const first = { name: '0.md', content, isDeflated: true };
    const others = Array.from({ length: 200 }, (_, index) => ({ ...first, name: `${index + 1}.md`, sharedWith: 0 }));
    const input = await openZip([first, ...others]);
    let read = 0;
    const error = await failure(
      (async () => {
        for (const entry of input.entries()) read += (await readBytes(entry, MAX_TEXT_BYTES)).length;
      })(),
    );
    expect(error).to.be.instanceOf(FileError);
    expect(error.message).to.equal('its files are too large for their compressed form');
    expect(read).to.be.within(1, 20 * 1024 * 1024);
  });

  it('reports a file whose content is damaged, and reads the others', async () => {
    const zip = zipOf([
      { name: 'crc.md', content: 'changed', crc: 1 },
      { name: 'deflate.md', content: 'An owl in the attic.', isDeflated: true },
      { name: 'good.md', content: 'good' },
    ]);
    zip.fill(0xff, zip.indexOf('deflate.md') + 10, zip.indexOf('deflate.md') + 20);
    const input = await openAt(await pathOf(zip));
    for (const path of ['crc.md', 'deflate.md']) {
      const error = await failure(textAt(input, path));
      expect(error, path).to.be.instanceOf(EntryError);
      expect(error.message, path).to.match(/^it is damaged in the archive: [^\n]+$/);
    }
    expect(await textAt(input, 'good.md')).to.equal('good');
  });

  it('is rejected as a whole if its directory is damaged', async () => {
    const zip = zipOf([{ name: 'a.md', content: 'a' }, { name: 'b.md' }]);
    const overwritten = Buffer.from(zip);
    overwritten.fill(0, overwritten.lastIndexOf('PK\x01\x02'), overwritten.lastIndexOf('PK\x01\x02') + 4);
    const damaged: [name: string, bytes: Buffer][] = [
      ['cut', zip.subarray(0, -30)],
      ['overwritten', overwritten],
      ['declares too many', zipOf([{ name: 'a.md' }], 5)],
      ['declares too few', zipOf([{ name: 'a.md' }, { name: 'b.md' }], 1)],
      ['strongly encrypted', zipOf([{ name: 'a.md', flags: 0x41 }])],
    ];
    for (const [name, bytes] of damaged) {
      const error = await failure(openInput(await pathOf(bytes)));
      expect(error, name).to.be.instanceOf(FileError);
      expect(error.message, name).to.match(/^it is a damaged ZIP archive: [^\n]+$/);
    }
  });

  it('has at most 200,000 files, of which the declared number is checked first', async () => {
    const path = await pathOf(withZip64End(zipOf([{ name: 'a.md' }]), 200_001));
    expect((await failure(openInput(path))).message).to.equal('it has more than 200,000 files');
  });

  it('has 100,000 files', async () => {
    const files = Array.from({ length: 100_000 }, (_, index) => ({ name: `${index}.md`, content: `${index}` }));
    const input = await openAt(await pathOf(withZip64End(zipOf(files), files.length)));
    expect([...input.entries()]).to.have.lengthOf(100_000);
    expect(await textAt(input, '99999.md')).to.equal('99999');
  });

  it('has paths of at most 32 Mi characters, each of at most 1,024', async () => {
    const long = 'x'.repeat(60_000);
    const few = await openZip([{ name: `${long}.md` }]);
    expect([...few.entries()]).to.deep.equal([]);
    expect(few.leftOut.map(({ reason }) => reason)).to.deep.equal(['paths of more than 1024 characters']);
    const many = Array.from({ length: 600 }, (_, index) => ({ name: `${long}${index}.md` }));
    const error = await failure(openInput(await pathOf(zipOf(many))));
    expect(error.message).to.equal('its paths have more than 33,554,432 characters');
  });
});

describe('readText', () => {
  it('reads up to 16 MiB', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'a.md'), Buffer.alloc(MAX_TEXT_BYTES + 1, 'x'));
    const error = await failure(textAt(await openAt(folder), 'a.md'));
    expect(error).to.be.instanceOf(EntryError);
    expect(error.message).to.equal('it has more than 16,777,216 bytes');
  });
});
