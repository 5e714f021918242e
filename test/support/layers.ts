/** The layers of `src`, the imports that break their order, and cycles between folders. */
import { posix } from 'node:path';

/** Folders of `src` whose files and folders are units, each with its own layer. */
const GROUPS = new Set(['server', 'services', 'platform']);

/** Top to bottom. A unit is a folder or file of `src`; it imports only from the lines below, and from its own line without a cycle. */
export const LAYERS: readonly (readonly string[])[] = [
  ['server/server.ts', 'server/cluster', 'server/process.ts', 'server/node-env.ts', 'cli'],
  ['app.ts'],
  ['jobs', 'routes'],
  ['mcp'],
  ['rest'],
  ['graphql'],
  ['feeds', 'pages', 'export', 'import'],
  ['resolvers'],
  ['schema'],
  ['commands'],
  ['execute.ts', 'context.ts'],
  ['services/index.ts'],
  [
    'loaders',
    'services/approval',
    'services/live',
    'services/limits',
    'services/auth',
    'services/mail',
    'services/ai',
    'services/images',
    'services/rendering',
    'services/idempotency',
    'services/views',
    'services/webhooks',
  ],
  ['models'],
  ['platform/database'],
  ['platform/http'],
  ['platform/observability', 'platform/config', 'platform/name-lookup.ts'],
  [
    'platform/errors.ts',
    'platform/error-keys.ts',
    'platform/messages',
    'platform/concurrency',
    'platform/display-name',
    'platform/email-address.ts',
    'platform/language-tag.ts',
    'platform/optional-package.ts',
    'platform/text.ts',
    'platform/version.ts',
  ],
];

interface Import {
  /** Such as `src/models/tag.ts:3`. */
  line: string;
  from: string;
  to: string;
}

/**
 * @param files the text of each file of `src`, by its path from the root of the project
 * @returns one line for each import that points upward, each unit without a layer, and each unit, or folder in one, that is in a cycle;
 *   type imports count
 */
export function layerViolations(files: ReadonlyMap<string, string>): string[] {
  const paths = [...files].flatMap(([path, text]) => importsOf(path, text));
  const imports = between(paths, unitOf);
  const units = new Set([...files.keys()].map(unitOf));
  return [
    ...[...units].filter((unit) => layerOf(unit) < 0).map((unit) => `src/${unit} is in no layer`),
    ...imports.filter(isUpward).map(({ line, from, to }) => `${line}: ${describe(from)} imports ${describe(to)}`),
    // Across lines, an upward import is reported instead.
    ...cyclesOf(imports.filter(({ from, to }) => layerOf(from) === layerOf(to))),
    ...cyclesOf(between(paths, folderOf).filter(({ from, to }) => posix.dirname(from) === posix.dirname(to))),
  ];
}

/** Static, dynamic and type imports, and re-exports, in the formatting of Biome. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** By path. */
function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(SPECIFIER)]
    .map(({ 1: specifier = '', index }) => ({ target: posix.join(posix.dirname(path), specifier), index }))
    .filter(({ target }) => target.startsWith('src/'))
    .map(({ target, index }) => ({
      line: `${path}:${text.slice(0, index).split('\n').length}`,
      from: path,
      to: target.replace(/\.js$/, '.ts'),
    }));
}

/** Imports between different parts of `src`. */
function between(imports: readonly Import[], partOf: (path: string) => string): Import[] {
  return imports
    .map(({ line, from, to }) => ({ line, from: partOf(from), to: partOf(to) }))
    .filter(({ from, to }) => from !== to);
}

/** `models` of `src/models/tag.ts`, `app.ts` of `src/app.ts`, `services/auth` of `src/services/auth/policy.ts`. */
function unitOf(path: string): string {
  const [, folder = '', name] = path.split('/');
  return GROUPS.has(folder) ? `${folder}/${name}` : folder;
}

/** `rest/engine` of `src/rest/engine/run.ts`; the whole path of a file that is in no such folder. */
function folderOf(path: string): string {
  const unit = unitOf(path);
  const [folder, ...rest] = path.slice(`src/${unit}/`.length).split('/');
  return rest.length > 0 ? `${unit}/${folder}` : path;
}

function layerOf(unit: string): number {
  return LAYERS.findIndex((units) => units.includes(unit));
}

function isUpward({ from, to }: Import): boolean {
  return layerOf(to) < layerOf(from);
}

function describe(unit: string): string {
  return `${unit} (layer ${layerOf(unit) + 1})`;
}

/** Parts that import each other, directly or through others. */
function cyclesOf(imports: readonly Import[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  const reaches = (part: string, goal: string, seen: Set<string>): boolean =>
    [...(edges.get(part) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  return [...edges.keys()]
    .filter((part) => reaches(part, part, new Set()))
    .map((part) => `src/${part} is in a cycle of imports`);
}
