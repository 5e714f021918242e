/** Clients as users make them: types generated from the two documents, compiled, and run against the service. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useApp } from './support/app.js';
import { buildMember } from './support/build.js';

const run = promisify(execFile);
// Compiled, this file is in dist/test.
const folder = join(dirname(fileURLToPath(import.meta.url)), '../../test/clients');
const compiler = join(folder, 'node_modules/typescript/bin/tsc');

const node = async (...args: string[]) => (await run(process.execPath, args, { cwd: folder })).stdout;

describe('A typed client', function () {
  this.timeout(180_000);
  const app = useApp();
  before(async () => {
    await node('generate.js');
    await node(compiler, '-p', '.');
  });

  it('of openapi.json logs in, writes, comments and reads what it wrote', async () => {
    const { email, password } = await buildMember(app.url);
    const told = JSON.parse(await node('generated/dist/rest.js', app.url, email, password));
    expect(told.articleId).to.be.a('number');
    expect(told).to.deep.include({ tags: ['types'], said: 'Well typed.', code: 'ARTICLE_NOT_FOUND' });
  });

  it('of schema.graphql logs in, writes, and reads comments with their authors', async () => {
    const { email, password, nickname } = await buildMember(app.url);
    const { articleId } = JSON.parse(await node('generated/dist/rest.js', app.url, email, password));
    const told = JSON.parse(await node('generated/dist/graphql.js', app.url, email, password, String(articleId)));
    expect(told).to.deep.equal({ tags: ['types'], year: new Date().getFullYear(), said: 'Well typed.', by: nickname });
  });

  it('that sends or reads what the documents do not have does not compile', async () => {
    for (const [source, from, to, complaint] of [
      ['rest.ts', "tags: ['types']", 'tags: 7', /TS2322/],
      ['rest.ts', 'comment?.content', 'comment?.words', /TS2339/],
      ['graphql.ts', "title: 'Typed'", "heading: 'Typed'", /TS2353|TS2561/],
      ['graphql.ts', 'first?.author?.nickname', 'first?.author?.email', /TS2339/],
    ] as const) {
      const text = await readFile(join(folder, source), 'utf8');
      expect(text).to.include(from);
      await writeFile(join(folder, 'generated/wrong.ts'), text.replace(from, to).replaceAll('./generated/', './'));
      const outcome = await compileAlone('generated/wrong.ts');
      expect(outcome, `${source}: ${to}`).to.match(complaint);
    }
  });
});

/** @returns what the compiler complained of; empty where all is well */
async function compileAlone(file: string): Promise<string> {
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    '',
  ];
  return node(compiler, ...options, file).then(
    () => '',
    ({ stdout }) => stdout,
  );
}
