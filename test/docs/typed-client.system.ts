/** Generated clients: types from openapi.json and schema.graphql, compiled, and run against the service. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';

const run = promisify(execFile);
// The compiled file is in dist/test/docs.
const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../test/clients');
const compiler = join(folder, '../../node_modules/typescript/bin/tsc');

const node = async (...args: string[]) => (await run(process.execPath, args, { cwd: folder })).stdout;

describe('A typed client', function () {
  this.timeout(180_000);
  const app = useApp();
  before(async () => {
    await node('generate.js');
    await node(compiler, '-p', '.');
  });

  it('generated from openapi.json logs in, writes, comments and reads the result', async () => {
    const { email, password } = await buildMember(app.url);
    const output = JSON.parse(await node('generated/dist/rest.js', app.url, email, password));
    expect(output.articleId).to.be.a('number');
    expect(output).to.deep.include({
      tags: ['types'],
      isMember: true,
      said: 'Well typed.',
      code: 'ARTICLE_NOT_FOUND',
    });
  });

  it('generated from schema.graphql logs in, writes, and reads comments with authors', async () => {
    const { email, password, nickname } = await buildMember(app.url);
    const { articleId } = JSON.parse(await node('generated/dist/rest.js', app.url, email, password));
    const output = JSON.parse(await node('generated/dist/graphql.js', app.url, email, password, String(articleId)));
    expect(output).to.deep.equal({
      tags: ['types'],
      year: new Date().getFullYear(),
      said: 'Well typed.',
      by: nickname,
    });
  });

  it('fails to compile when it uses fields that the documents do not define', async () => {
    const files = MISTAKES.map((_mistake, index) => `generated/wrong-${index}.ts`);
    for (const [index, { source, right, wrong }] of MISTAKES.entries()) {
      const text = await readFile(join(folder, source), 'utf8');
      expect(text).to.include(right);
      await writeFile(join(folder, files[index] ?? ''), text.replace(right, wrong).replaceAll('./generated/', './'));
    }
    const complaints = await complaintsAbout(files);
    for (const [index, { wrong, complaint }] of MISTAKES.entries()) {
      const own = complaints.filter((line) => line.startsWith(files[index] ?? ''));
      expect(own, wrong).to.have.lengthOf(1);
      expect(own[0], wrong).to.match(complaint);
    }
  });
});

const MISTAKES = [
  { source: 'rest.ts', right: "content: 'Well typed.'", wrong: 'content: 7', complaint: /TS2322/ },
  { source: 'rest.ts', right: 'comment?.content', wrong: 'comment?.words', complaint: /TS2339/ },
  { source: 'graphql.ts', right: "title: 'Typed'", wrong: "heading: 'Typed'", complaint: /TS2353|TS2561/ },
  { source: 'graphql.ts', right: 'first?.author?.nickname', wrong: 'first?.author?.email', complaint: /TS2339/ },
];

/** @returns the errors of the compiler for the files, one per line */
async function complaintsAbout(files: readonly string[]): Promise<string[]> {
  const options = [
    // The options of tsconfig.json are for the right clients.
    '--ignoreConfig',
    '--noEmit',
    '--pretty',
    'false',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
  ];
  const output = await node(compiler, ...options, ...files).then(
    () => '',
    ({ stdout }) => String(stdout),
  );
  return output.split('\n').filter((line) => line.includes('error TS'));
}
