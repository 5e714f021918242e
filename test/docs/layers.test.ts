/** The order of the layers of `src`. Cycles between files are reported by Biome (noImportCycles). */
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { LAYERS, layerViolations } from '../support/layers.js';

describe('The modules of src', () => {
  it('import only from lower layers, and without cycles', async () => {
    expect(layerViolations(await sourceFiles())).to.deep.equal([]);
  });

  it('are all covered by the check', async () => {
    const files = await sourceFiles();
    expect(files.size).to.be.greaterThan(300);
    expect([...files.keys()]).to.include.members(['src/app.ts', 'src/models/tag.ts']);
  });

  it('are listed in ARCHITECTURE.md in the order of their layers', async () => {
    const rows = (await readFile(new URL('ARCHITECTURE.md', ROOT), 'utf8')).match(/^\| `.*$/gm) ?? [];
    const units = rows.map((row) => (row.split('|')[1] ?? '').match(/(?<=`)[\w./-]+(?=`)/g));
    expect(units).to.deep.equal(LAYERS);
  });
});

describe('SQL', () => {
  /** `models` has the statements of the service; a subcommand or an export may contain those that only it runs. */
  const PLACES = /^src\/(?:models|platform\/database|cli|export|import)\//;
  /** These use the tables of graphile-worker, or a connection outside of the pool. */
  const EXCEPTIONS = ['jobs/runner', 'jobs/worker-locks', 'services/live/postgres-listener'];
  const SQL = /['"`]\s*(?:select|insert into|delete from|update \w+ (?:\w+ )?set|with \w+ as)\b/i;

  it('is in models, unless only a subcommand, an export or the import runs it', async () => {
    const withSql = [...(await sourceFiles())].filter(([, text]) => text.search(SQL) >= 0).map(([path]) => path);
    expect(withSql).to.include.members(['src/models/tag.ts', 'src/models/table.ts']);
    const elsewhere = withSql.filter((path) => !PLACES.test(path));
    expect(elsewhere).to.have.members(EXCEPTIONS.map((name) => `src/${name}.ts`));
  });
});

describe('The modules that every process of the service loads', () => {
  const ENTRIES = ['app', 'server/server', 'services/index', 'jobs/runner', 'models/connect-database'].map(
    (name) => `src/${name}.ts`,
  );
  /** Packages of functions that are not configured, or not used by every process: together a third of the time of a start. */
  const LOADED_ON_USE =
    /^(?:koa-body|sharp|openid-client|@zxcvbn-ts|flydrive\/drivers\/s3|@aws-sdk|@opentelemetry\/(?!api$))/;

  it('import packages of optional functions only dynamically', async () => {
    const files = await sourceFiles();
    const loaded = new Set(ENTRIES);
    const found: string[] = [];
    for (const path of loaded) {
      for (const specifier of staticImports(files.get(path) ?? '')) {
        if (LOADED_ON_USE.test(specifier)) found.push(`${path} imports ${specifier}`);
        if (specifier.startsWith('.')) loaded.add(posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts'));
      }
    }
    expect(loaded.size).to.be.above(250);
    expect(found).to.deep.equal([]);
  });
});

describe('The layer check', () => {
  const violationsOf = (files: Record<string, string>) => layerViolations(new Map(Object.entries(files)));

  it('accepts imports from the same unit, from a lower layer, and from packages', () => {
    const text = `import pg from 'pg';\nimport { a } from './b.js';\nimport { c } from '../platform/database/c.js';`;
    expect(violationsOf({ 'src/models/a.ts': text })).to.deep.equal([]);
  });

  it('reports an upward import with its file, its line and both layers', () => {
    const text = `import { a } from './a.js';\n\nimport { b } from '../rest/engine/b.js';\n`;
    expect(violationsOf({ 'src/models/tag.ts': text })).to.deep.equal([
      'src/models/tag.ts:3: models (layer 14) imports rest (layer 5)',
    ]);
  });

  for (const [form, text] of [
    ['a type import', `import type { App } from '../../app.js';`],
    ['a re-export', `export { startApp } from '../../app.js';`],
    ['a dynamic import', `await import('../../app.js');`],
  ] as const) {
    it(`reports ${form}`, () => {
      expect(violationsOf({ 'src/platform/http/body.ts': text })).to.deep.equal([
        'src/platform/http/body.ts:1: platform/http (layer 16) imports app.ts (layer 2)',
      ]);
    });
  }

  it('reports a cycle between units of one layer', () => {
    const files = {
      'src/loaders/a.ts': `import '../services/live/b.js';`,
      'src/services/live/b.ts': `import '../auth/c.js';`,
      'src/services/auth/c.ts': `import type { A } from '../../loaders/a.js';`,
    };
    expect(violationsOf(files)).to.deep.equal([
      'src/loaders is in a cycle of imports',
      'src/services/live is in a cycle of imports',
      'src/services/auth is in a cycle of imports',
    ]);
  });

  it('reports a cycle between folders of one unit, but not between a folder and the files beside it', () => {
    const files = {
      'src/rest/engine/a.ts': `import '../openapi/b.js';\nimport '../c.js';`,
      'src/rest/openapi/b.ts': `import type { A } from '../engine/d.js';`,
      'src/rest/c.ts': `import './engine/a.js';`,
    };
    expect(violationsOf(files)).to.deep.equal([
      'src/rest/engine is in a cycle of imports',
      'src/rest/openapi is in a cycle of imports',
    ]);
  });

  it('reports a unit without a layer', () => {
    expect(violationsOf({ 'src/misc/a.ts': '' })).to.deep.equal(['src/misc is in no layer']);
  });
});

async function sourceFiles(): Promise<Map<string, string>> {
  const entries = await readdir(new URL('src', ROOT), { recursive: true });
  const paths = entries.filter((path) => path.endsWith('.ts')).map((path) => `src/${path.replaceAll('\\', '/')}`);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(new URL(path, ROOT), 'utf8')] as const)),
  );
}

/** The specifiers of imports and re-exports that are not only of types, in the formatting of Biome. */
function staticImports(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)(?! type )(?:[^;']*? from)? '([^']+)'/gm);
  return [...statements].map(([, specifier = '']) => specifier);
}
