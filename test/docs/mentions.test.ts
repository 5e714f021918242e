/** What documents and comments mention exists: links, paths and settings. Decision records are complete. */
import { access, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { settingGroups } from '../../src/platform/config/settings/index.js';
import { ERRORS } from '../../src/platform/error-keys.js';
import { anchorsOf, documents, linksOf, proseOf, readDocument } from '../support/documents.js';

const RECORDS = 'docs/decisions/';

/** Names in upper case that are neither settings nor error keys nor enum values of the GraphQL schema. */
const OTHER_NAMES = new Set([
  // The error code of Apollo's protocol for persisted queries.
  'PERSISTED_QUERY_NOT_FOUND',
  // The reason with which a WebSocket is closed.
  'API_TOKEN_EXPIRED',
  // Constants of src.
  ...['LEFT_OUT', 'MEMBER_FILES', 'PROMPT_VERSION', 'RENDERER_VERSION'],
  // Environment variables of other programs and of tests.
  ...['OPENAI_API_KEY', 'UV_THREADPOOL_SIZE', 'NODE_EXTRA_CA_CERTS', 'HOSTILE_CASES', 'CACHE_CASES', 'SCREENSHOTS'],
  // Of scripts/example.js.
  'EXAMPLE_PORT',
  // Of deploy/cluster/start.js.
  ...['CLUSTER_PORT', 'CLUSTER_DIR', 'CLUSTER_RESTART_SECONDS', 'CLUSTER_ADVERTISED_OFFSET'],
]);

/** Folders with the sources of the project. */
const SOURCES = ['src', 'test', 'bench', 'migrations', 'deploy', 'scripts'];
const TEST_FILE = /\.(?:test|property|system|slow)\.ts$/;
/** Sources that mention the names of files that they create. */
const CREATING_SOURCES = new Set([
  ...[
    'test/cli/entry.system.ts',
    'test/clients/generate.js',
    'test/docs/contributing.system.ts',
    'test/docs/layers.test.ts',
  ],
]);

describe('Markdown documents', () => {
  it('link to existing files and headings', async () => {
    const broken = await violations(async (path, text) => {
      const links = linksOf(text).filter((link) => !/^(https?:|mailto:)/.test(link));
      return Promise.all(links.map(async (link) => ((await isTarget(path, link)) ? [] : [link])));
    });
    expect(broken).to.deep.equal([]);
  });

  it('mention only files and folders that exist', async () => {
    const missing = await violations((_path, text) =>
      Promise.all(pathsIn(proseOf(text)).map(async (name) => ((await isFile(name)) ? [] : [name]))),
    );
    expect(missing).to.deep.equal([]);
  });

  it('mention only settings, error keys and enum values that exist', async () => {
    const known = new Set([...settingNames(), ...Object.keys(ERRORS), ...(await enumValues()), ...OTHER_NAMES]);
    const unknown = await violations((_path, text) =>
      upperCaseNamesIn(text).map((name) => (known.has(name) ? [] : [name])),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('list every setting in docs/configuration.md', async () => {
    const text = await readDocument('docs/configuration.md');
    expect(settingNames().filter((name) => !text.includes(`| \`${name}\``))).to.deep.equal([]);
  });
});

describe('Sources', () => {
  it('mention only TypeScript files that exist', async () => {
    const sources = await sourceFiles();
    const paths = [...sources.keys()].map((path) => `/${path}`);
    const missing = [...sources]
      .filter(([path]) => !CREATING_SOURCES.has(path))
      .flatMap(([path, text]) => sourceNamesIn(text).map((name) => ({ path, name })))
      .filter(({ name }) => !paths.some((path) => path.endsWith(`/${name}`)));
    expect(missing).to.deep.equal([]);
  });
});

describe('docs/security.md', () => {
  it('cites only tests that exist', async () => {
    const tests = await testFiles();
    const cells = (await readDocument('docs/security.md')).match(/(?<=\| )`[\w/-]+`[^|]*(?= \|$)/gm) ?? [];
    expect(cells).to.have.length.above(30);
    const missing = cells.filter((cell) => !cell.split('; ').every((citation) => isCited(citation, tests)));
    expect(missing).to.deep.equal([]);
  });
});

describe('Decision records', () => {
  it('have a title, a date and a status', async () => {
    for (const name of await records()) {
      expect(await readDocument(RECORDS + name), name).to.match(
        /^# \S.*\n\nDate: 20\d\d-\d\d-\d\d\\\nStatus: (?:accepted|superseded by \[.+\]\(.+\))\n\n## /,
      );
    }
  });

  it('are each listed once in the index', async () => {
    const listed = linksOf(await readDocument(`${RECORDS}README.md`)).filter((link) => /^[\w-]+\.md$/.test(link));
    expect(listed.sort()).to.deep.equal(await records());
  });
});

async function violations(check: (path: string, text: string) => string[][] | Promise<string[][]>): Promise<string[]> {
  const found = await Promise.all(
    (await documents()).map(async (path) =>
      (await check(path, await readDocument(path))).flat().map((mention) => `${path}: ${mention}`),
    ),
  );
  return found.flat();
}

async function isTarget(path: string, link: string): Promise<boolean> {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : posix.join(posix.dirname(path), file);
  if (!(await isFile(target))) return false;
  return anchor === undefined || anchorsOf(await readDocument(target)).includes(anchor);
}

/** Whether a path from the root, or of a source file from `src`, exists. */
async function isFile(path: string): Promise<boolean> {
  const candidates = [path, `src/${path}`].map((name) => access(new URL(name, ROOT)));
  return Promise.any(candidates).then(
    () => true,
    () => false,
  );
}

/** Paths below the folders of the project, up to a placeholder such as `<resource>`, and names of TypeScript files in code spans. */
function pathsIn(prose: string): string[] {
  const below = /(?<![\w/.-])(?:src|test|bench|bin|scripts|docs|migrations|deploy|public)\/[\w./@-]*[\w-]/g;
  return [...(prose.match(below) ?? []), ...(prose.match(/(?<=`)[\w./-]+\.ts(?=`)/g) ?? [])];
}

/** Names with an underscore, and names with a value, in code spans: `DATA_DIR`, `PORT=0`, `OAUTH_<NAME>_ISSUER`. */
function upperCaseNamesIn(text: string): string[] {
  const names = /`(?:([A-Z][A-Z0-9]*_[A-Z0-9_]*(?:<NAME>\w*)?)|([A-Z][A-Z0-9]*)(?==))(?:=[^`\n]*)?`?/g;
  return [...proseOf(text).matchAll(names)].map(([, name, withValue]) => name ?? withValue ?? '');
}

/** Names of TypeScript files, without placeholders such as `<name>.ts`. */
function sourceNamesIn(text: string): string[] {
  return text.match(/(?<![\w./*<>}-])\w[\w./-]*\.ts\b/g) ?? [];
}

/** Texts of the TypeScript and JavaScript files of the project, by path. */
async function sourceFiles(): Promise<Map<string, string>> {
  const paths = await Promise.all(
    SOURCES.map(async (folder) =>
      (await readdir(new URL(folder, ROOT), { recursive: true }))
        .filter((path) => /^(?!.*node_modules).*\.[jt]s$/.test(path))
        .map((path) => `${folder}/${path}`),
    ),
  );
  return new Map(await Promise.all(paths.flat().map(async (path) => [path, await readDocument(path)] as const)));
}

async function testFiles(): Promise<Map<string, string>> {
  return new Map([...(await sourceFiles())].filter(([path]) => TEST_FILE.test(path)));
}

/** @param citation names of test files, or one name and the beginnings of titles: `session`: gives another pair, logout */
function isCited(citation: string, tests: ReadonlyMap<string, string>): boolean {
  const [files = '', titles = ''] = citation.split(/: (.*)/s);
  return (files.match(/(?<=`)[\w/-]+(?=`)/g) ?? []).every((name) => {
    const found = [...tests]
      .filter(([path]) => `/${path}`.replace(TEST_FILE, '').endsWith(`/${name}`))
      .map(([, text]) => text);
    const wanted = titles.split(', ').map((title) => title.replace(/ ?…$/, ''));
    return found.length > 0 && wanted.every((title) => found.some((text) => text.includes(title)));
  });
}

function settingNames(): string[] {
  return settingGroups.flatMap(({ settings }) => Object.keys(settings));
}

async function enumValues(): Promise<string[]> {
  return (await readDocument('schema.graphql')).match(/(?<=^ {2})[A-Z][A-Z_]+$/gm) ?? [];
}

async function records(): Promise<string[]> {
  const names = await readdir(new URL(RECORDS, ROOT));
  return names.filter((name) => name.endsWith('.md') && name !== 'README.md').sort();
}
