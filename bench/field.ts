/** The contenders that both benchmarks have in common, and the check that all contenders return the same data. */
import { fileURLToPath } from 'node:url';
import { type Launch, startContender } from './contender.js';
import { startDaybook } from './daybook.js';
import type { Contender } from './measure.js';
import { fetchText, type PageRequest } from './requests.js';

export interface FieldOptions<Wanted> {
  databaseUrl: string;
  /** Suffix of the names of log files. */
  suffix: string;
  /** Script of the floor in this folder, without extension. */
  floor: 'floor' | 'article-floor';
  rest(wanted: Wanted): PageRequest;
  graphql(wanted: Wanted): PageRequest;
}

/** Limits of writes that no load reaches. The process checks and counts as usual. */
const SETTINGS = { LIMIT_WRITES: '1000000000/1d', LIMIT_WRITE_BYTES: '1GB/1m' };

/** Starts floor, ceiling, and the service with and without its cache. */
export async function startField<Wanted>(
  launch: Launch,
  { databaseUrl, suffix, floor: floorScript, rest, graphql }: FieldOptions<Wanted>,
): Promise<Contender<Wanted>[]> {
  const named = (name: string) => ({ name: `${name}${suffix}`, databaseUrl });
  const nodeHttp = (name: string, settings: Record<string, string> = {}) =>
    startContender({ ...named(name), command: [scriptOf(name)], settings, readyPath: '/readyz' }, launch);
  const daybook = (name: string, cacheMb: number) =>
    startDaybook({ ...named(name), settings: { ...SETTINGS, RESPONSE_CACHE_MB: String(cacheMb) } }, launch);
  const floor = await nodeHttp(floorScript);
  const ceiling = await nodeHttp('ceiling', { FLOOR_URL: floor });
  const cached = await daybook('daybook', 64);
  const uncached = await daybook('daybook-uncached', 0);
  return [
    { name: 'floor', url: floor, request: rest },
    { name: 'ceiling', url: ceiling, request: rest },
    { name: 'rest', url: cached, request: rest },
    { name: 'restUncached', url: uncached, request: rest },
    { name: 'graphql', url: cached, request: graphql, toRest: graphqlToRest },
    { name: 'graphqlUncached', url: uncached, request: graphql, toRest: graphqlToRest },
  ];
}

/** @returns path of a compiled script of this folder */
export function scriptOf(name: string): string {
  return fileURLToPath(new URL(`./${name}.js`, import.meta.url));
}

/** Converts to the envelope and formats of REST: ids as numbers, timestamps without time zone. */
export function graphqlToRest(text: string): string {
  const { data } = JSON.parse(text) as { data: Record<string, unknown> };
  return envelope(Object.values(data)[0]);
}

export function envelope(data: unknown): string {
  return JSON.stringify({ code: '1', message: 'OK', data }, (key, value) => {
    if (['id', 'memberId', 'categoryId'].includes(key)) return Number(value);
    return ['createdAt', 'updatedAt'].includes(key) ? String(value).replace(/(\.\d+)?(Z|\+00:00)$/, '') : value;
  });
}

/** @throws Error if two contenders return different data, which would make the comparison invalid */
export async function requireSame<Wanted>(contenders: readonly Contender<Wanted>[], samples: readonly Wanted[]) {
  for (const wanted of samples) {
    let first: string | undefined;
    for (const { name, url, request, toRest } of contenders) {
      const text = await fetchText(url, request(wanted));
      const answer = toRest ? toRest(text, wanted) : text;
      first ??= answer;
      if (answer !== first) throw new Error(describeDifference(`${name}, ${JSON.stringify(wanted)}`, first, answer));
    }
  }
}

function describeDifference(what: string, expected: string, actual: string): string {
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const near = (text: string) => `…${text.slice(Math.max(0, at - 60), at + 60)}…`;
  return `${what}: different from the floor, from character ${at}:\n${near(expected)}\n${near(actual)}`;
}
