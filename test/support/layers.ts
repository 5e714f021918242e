/** The layers of `src`, and the imports that break their order. */
import { posix } from 'node:path';

/** Top to bottom. A unit is a folder or file of `src`; it imports only from the lines below, and from its own line without a cycle. */
export const LAYERS: readonly (readonly string[])[] = [
  ['server.ts', 'cluster', 'process.ts', 'node-env.ts', 'cli'],
  ['app.ts'],
  ['jobs', 'routes'],
  ['rest'],
  ['graphql'],
  ['feeds', 'pages', 'export'],
  ['resolvers'],
  ['schema'],
  ['commands'],
  ['context.ts'],
  ['services.ts'],
  ['loaders', 'live', 'limits', 'auth', 'mail', 'ai', 'images', 'rendering', 'idempotency'],
  ['models'],
  ['database'],
  ['http'],
  ['observability', 'config'],
  ['errors.ts', 'error-keys.ts', 'messages', 'concurrency', 'display-name', 'text.ts', 'version.ts'],
];

interface Import {
  /** Such as `src/models/tag.ts:3`. */
  place: string;
  from: string;
  to: string;
}

/**
 * @param files the text of each file of `src`, by its path from the root of the project
 * @returns one line for each import that points upward, each unit without a layer, and each cycle between units; type imports count
 */
export function layerViolations(files: ReadonlyMap<string, string>): string[] {
  const imports = [...files].flatMap(([path, text]) => importsOf(path, text));
  const units = new Set([...files.keys()].map(unitOf));
  return [
    ...[...units].filter((unit) => layerOf(unit) < 0).map((unit) => `src/${unit} is in no layer`),
    ...imports.filter(isUpward).map(({ place, from, to }) => `${place}: ${describe(from)} imports ${describe(to)}`),
    ...cyclesOf(imports),
  ];
}

/** Static, dynamic and type imports, and re-exports, in the formatting of Biome. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function importsOf(path: string, text: string): Import[] {
  const from = unitOf(path);
  return [...text.matchAll(SPECIFIER)]
    .map(({ 1: specifier = '', index }) => ({ target: posix.join(posix.dirname(path), specifier), index }))
    .filter(({ target }) => target.startsWith('src/'))
    .map(({ target, index }) => ({
      place: `${path}:${text.slice(0, index).split('\n').length}`,
      from,
      to: unitOf(target.replace(/\.js$/, '.ts')),
    }))
    .filter(({ to }) => to !== from);
}

/** `models` of `src/models/tag.ts`, `app.ts` of `src/app.ts`. */
function unitOf(path: string): string {
  return path.split('/')[1] as string;
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

/** Units of one line that import each other, directly or through others. Across lines, an upward import is reported instead. */
function cyclesOf(imports: readonly Import[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports.filter((one) => layerOf(one.from) === layerOf(one.to))) {
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  const reaches = (unit: string, goal: string, seen: Set<string>): boolean =>
    [...(edges.get(unit) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  return [...edges.keys()]
    .filter((unit) => reaches(unit, unit, new Set()))
    .map((unit) => `src/${unit} is in a cycle of imports`);
}
