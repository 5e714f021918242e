/** Measures all contenders in each round, so that other load on the machine affects all of them equally. */
import autocannon from 'autocannon';
import { cacheHits } from './metrics.js';
import { fetchText, type PageRequest } from './requests.js';
import { log } from './session.js';

/** The measured servers, in the order of measurement and report. */
export const LABELS = {
  floor: 'floor: node:http and pg',
  ceiling: 'ceiling: node:http from memory',
  textbook: 'textbook: Apollo and Sequelize',
  rest: 'Daybook REST, cached',
  restUncached: 'Daybook REST, uncached',
  graphql: 'Daybook /graphql, cached',
  graphqlUncached: 'Daybook /graphql, uncached',
  postgraphile: 'PostGraphile 5',
  strapi: 'Strapi 5',
  wordpress: 'WordPress 6.1',
  ghost: 'Ghost 6',
  base: 'the other commit',
  current: 'this build',
  control: 'the other commit again',
};

export type Name = keyof typeof LABELS;

/** A server that is measured, and its requests. */
export interface Contender<Wanted> {
  name: Name;
  url: string;
  /** Whether it caches responses: then each case begins when the share of cache hits is constant. */
  isCached?: boolean;
  request(wanted: Wanted): PageRequest;
  /** Converts a response to the form of REST; absent: it has that form. */
  toRest?(text: string, wanted: Wanted): string;
  /** Removes from the form of REST what the product does not have, before responses are compared. */
  comparable?(rest: string): string;
}

/** A series of requests, the same for each contender and round. */
export interface Case<Wanted> {
  key: string;
  title: string;
  /** Size of the data. */
  rows: number;
  contenders: readonly Contender<Wanted>[];
  /** Requested in order on one connection. @param turn differs in each round and each pass before it; the same for all contenders in a round */
  wanted(connection: number, turn: number): readonly Wanted[];
  /** Runs after each measurement of a case that writes. */
  restore?(): Promise<void>;
}

export interface Load {
  /** Duration of one contender with one case in one round; 0: only a few responses, without a round that warms up. */
  seconds: number;
  rounds: number;
  connections: number;
}

/** Result of one contender with one case in one round. */
export interface Sample {
  requestsPerSecond: number;
  /** Milliseconds, as p99. */
  p50: number;
  p99: number;
  /** Share of the requests that the response cache answered; NaN without one. */
  hits: number;
}

export interface Measured {
  key: string;
  title: string;
  rows: number;
  /** One entry per round. */
  samples: ReadonlyMap<Name, Sample[]>;
}

/** @returns results in the order of the cases; the round that warms up compilers is omitted. */
export async function measure<Wanted>(cases: readonly Case<Wanted>[], load: Load): Promise<Measured[]> {
  const all = cases.map((full) => ({
    one: load.seconds > 0 ? full : shortened(full),
    samples: new Map<Name, Sample[]>(),
    shares: new Map<Name, number>(),
  }));
  for (const { one } of all) await fillCeiling(one, load.connections);
  for (let round = load.seconds > 0 ? 0 : 1; round <= load.rounds; round++) {
    log(round === 0 ? 'Warming up.' : `Round ${round} of ${load.rounds}.`);
    for (const { one, samples, shares } of all) {
      for (const contender of one.contenders) {
        if (contender.isCached && !one.restore) await fillCache(contender, one, load, shares);
        const sample = await measureOnce(contender, one, load, round);
        await one.restore?.();
        if (round > 0) samples.set(contender.name, [...(samples.get(contender.name) ?? []), sample]);
      }
    }
  }
  return all.map(({ one: { key, title, rows }, samples }) => ({ key, title, rows, samples }));
}

/** For a few responses, the cache needs only theirs. */
function shortened<Wanted>(full: Case<Wanted>): Case<Wanted> {
  return { ...full, wanted: (connection, turn) => full.wanted(connection, turn).slice(0, FEWEST) };
}

/** Sends all requests to the ceiling once, so that it has the responses. */
async function fillCeiling<Wanted>({ contenders, wanted }: Case<Wanted>, connections: number): Promise<void> {
  const ceiling = contenders.find(({ name }) => name === 'ceiling');
  if (!ceiling) return;
  const fill = async (connection: number) => {
    for (const one of wanted(connection, 0)) await fetchText(ceiling.url, ceiling.request(one));
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => fill(connection)));
}

/** Two passes whose shares of cache hits differ by less than this have the same share. */
const SAME_SHARE = 0.01;
const MAX_PASSES = 50;

/**
 * Sends all requests until the share of cache hits is that of the pass before, or once for a few responses.
 * @param shares of the last pass, for the next round
 */
async function fillCache<Wanted>(
  contender: Contender<Wanted>,
  one: Case<Wanted>,
  { seconds, connections }: Load,
  shares: Map<Name, number>,
): Promise<void> {
  const { name, url } = contender;
  const amount = connections * one.wanted(0, 0).length;
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const share = await cacheHits(url, () => respond(contender, one, PASSES + pass, { connections, amount }));
    const before = shares.get(name) ?? Number.NaN;
    shares.set(name, share);
    if (seconds === 0 || Math.abs(share - before) < SAME_SHARE) return;
  }
  log(`The share of cache hits of ${name} still changes after ${MAX_PASSES} passes: ${one.title}.`);
}

/** Turn of the pass before the first one; more than there are rounds. */
const PASSES = 1000;

async function measureOnce<Wanted>(
  contender: Contender<Wanted>,
  one: Case<Wanted>,
  { seconds, connections }: Load,
  round: number,
): Promise<Sample> {
  const runIn = Math.min(RUN_IN, seconds);
  const extent = seconds > 0 ? { duration: runIn + seconds } : { amount: FEWEST * connections };
  let times: number[] = [];
  let requestsPerSecond = 0;
  const send = async () => {
    const start = performance.now() + runIn * 1000;
    const responses = await respond(contender, one, round, { connections, ...extent });
    times = responses.filter(({ at }) => at >= start).map(({ milliseconds }) => milliseconds);
    requestsPerSecond = (times.length * 1000) / (performance.now() - start);
  };
  const hits = contender.isCached ? await cacheHits(contender.url, send) : await send().then(() => Number.NaN);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { requestsPerSecond, p50: at(0.5), p99: at(0.99), hits };
}

/** @throws Error if the status of a response is not 2xx */
async function respond<Wanted>(
  { name, url, request }: Contender<Wanted>,
  one: Case<Wanted>,
  turn: number,
  extent: Omit<autocannon.Options, 'url'>,
): Promise<TimedResponse[]> {
  const responses: TimedResponse[] = [];
  const errors: string[] = [];
  let connection = 0;
  const result = await fire(responses, errors, {
    ...extent,
    url,
    // autocannon ends at the first sample after the duration: by default up to one second later.
    sampleInt: 100,
    bailout: 1,
    setupClient: (client) => client.setRequests(one.wanted(connection++, turn).map(request)),
  });
  if (result['2xx'] < responses.length || errors.length > 0 || responses.length === 0) {
    const wrong = [...errors, ...Object.keys(result.statusCodeStats ?? {}).map((status) => `status ${status}`)];
    throw new Error(`${name} did not respond to every request with 2xx (${wrong.join(', ')}): ${one.title}.`);
  }
  return responses;
}

/** Seconds excluded at the beginning: a pool that was idle while others were measured reconnects. */
const RUN_IN = 0.5;
/** Requests of each connection without a duration: the first connection begins with the write of the mixed load. */
export const FEWEST = 2;

interface TimedResponse {
  /** Time of arrival, from `performance.now()`. */
  at: number;
  /** Unrounded response time from the event: autocannon's own statistics are in whole milliseconds. */
  milliseconds: number;
}

/**
 * @param responses receives every response
 * @param errors receives each distinct connection error message
 */
function fire(responses: TimedResponse[], errors: string[], options: autocannon.Options): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on('response', (_client, _status, _bytes, milliseconds) => {
      responses.push({ at: performance.now(), milliseconds });
    });
    instance.on('reqError', (error: Error) => {
      if (!errors.includes(error.message)) errors.push(error.message);
    });
  });
}
