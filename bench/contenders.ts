/** The contenders that both benchmarks have in common, and the check that all contenders return the same data. */
import { jobsDone, startContender, startDaybook } from './contender.js';
import type { Contender } from './measure.js';
import { fetchText, type PageRequest, requireEqual } from './requests.js';
import type { AtEnd } from './session.js';

export interface ContendersOptions<Wanted> {
  databaseUrl: string;
  /** Path of the Node binary. */
  node: string;
  /** Suffix of the names of log files. */
  suffix: string;
  /** Script of the floor in this folder, without extension. */
  floor: 'floor' | 'article-floor';
  /** RESPONSE_CACHE_MB of the cached contenders. */
  cacheMb: number;
  rest(wanted: Wanted): PageRequest;
  graphql(wanted: Wanted): PageRequest;
}

/** Usual RESPONSE_CACHE_MB of the cached contenders. */
export const CACHE_MB = 64;

/** Limits of writes that no load reaches. The process checks and counts as usual. */
const SETTINGS = { LIMIT_WRITES: '1000000000/1d', LIMIT_WRITE_BYTES: '1GB/1m' };

/** Starts floor, ceiling, and the service with and without its cache. */
export async function startContenders<Wanted>(
  options: ContendersOptions<Wanted>,
  atEnd: AtEnd,
): Promise<Contender<Wanted>[]> {
  const { databaseUrl, node, suffix, rest, graphql } = options;
  const { floor, ceiling } = await startFloor(options, atEnd);
  const [restCached, graphqlCached] = await startCached(options, atEnd);
  const uncached = await startWithCache({ name: `daybook-uncached${suffix}`, databaseUrl, node }, 0, atEnd);
  await jobsDone(databaseUrl);
  return [
    { ...floor, request: rest },
    { ...ceiling, request: rest },
    restCached,
    { name: 'restUncached', url: uncached, request: rest },
    graphqlCached,
    { name: 'graphqlUncached', url: uncached, request: graphql, toRest: graphqlToRest },
  ];
}

/** Starts floor and ceiling. */
export async function startFloor(
  {
    databaseUrl,
    node,
    suffix,
    floor: script,
  }: Pick<ContendersOptions<never>, 'databaseUrl' | 'node' | 'suffix' | 'floor'>,
  atEnd: AtEnd,
) {
  const start = (name: string, settings: Record<string, string> = {}) =>
    startContender(
      { name: `${name}${suffix}`, script: `./${name}.js`, databaseUrl, node, settings, readyPath: '/readyz' },
      atEnd,
    );
  const url = await start(script);
  const ceiling = await start('ceiling', { FLOOR_URL: url });
  return { floor: { name: 'floor', url }, ceiling: { name: 'ceiling', url: ceiling } } as const;
}

/** Starts a process for each API, so that neither evicts the responses of the other. */
export async function startCached<Wanted>(
  { databaseUrl, node, suffix, cacheMb, rest, graphql }: Omit<ContendersOptions<Wanted>, 'floor'>,
  atEnd: AtEnd,
): Promise<[Contender<Wanted>, Contender<Wanted>]> {
  const start = (name: string) =>
    startWithCache({ name: `daybook-${name}${suffix}`, databaseUrl, node }, cacheMb, atEnd);
  return [
    { name: 'rest', url: await start('rest'), isCached: true, request: rest },
    { name: 'graphql', url: await start('graphql'), isCached: true, request: graphql, toRest: graphqlToRest },
  ];
}

function startWithCache(named: { name: string; databaseUrl: string; node: string }, cacheMb: number, atEnd: AtEnd) {
  return startDaybook({ ...named, settings: { ...SETTINGS, RESPONSE_CACHE_MB: String(cacheMb) } }, atEnd);
}

/** Converts to the envelope and formats of REST: ids as numbers, timestamps without time zone. */
export function graphqlToRest(text: string): string {
  const { data } = JSON.parse(text) as { data: Record<string, unknown> };
  return envelope(Object.values(data)[0]);
}

export function envelope(data: unknown): string {
  return JSON.stringify({ code: '1', message: 'OK', data }, (key, value) => {
    if (['id', 'memberId', 'categoryId'].includes(key)) return Number(value);
    if (key === 'seriesId' && value !== null) return Number(value);
    return ['publishedAt', 'createdAt', 'updatedAt'].includes(key)
      ? String(value).replace(/(\.\d+)?(Z|\+00:00)$/, '')
      : value;
  });
}

/** @throws Error if two contenders return different data, which would make the comparison invalid */
export async function requireSame<Wanted>(contenders: readonly Contender<Wanted>[], samples: readonly Wanted[]) {
  for (const wanted of samples) {
    let first: string | undefined;
    for (const { name, url, request, toRest, comparable = String } of contenders) {
      const text = await fetchText(url, request(wanted));
      const result = toRest ? toRest(text, wanted) : text;
      first ??= result;
      requireEqual(comparable(first), comparable(result), `The floor and ${name}, ${JSON.stringify(wanted)}`);
    }
  }
}
