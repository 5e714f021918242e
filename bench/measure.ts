/** Measures all contenders in each round, so that other load on the machine affects all of them equally. */
import autocannon from 'autocannon';
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
  /** Requested in order on one connection. */
  wanted(connection: number): readonly Wanted[];
  /** Runs after each measurement. */
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
}

export interface Measured {
  key: string;
  title: string;
  rows: number;
  /** One entry per round. */
  samples: ReadonlyMap<Name, Sample[]>;
}

/** @returns results in the order of the cases; the round that warms up compilers and caches is omitted. */
export async function measure<Wanted>(cases: readonly Case<Wanted>[], load: Load): Promise<Measured[]> {
  const all = cases.map((one) => ({ one, samples: new Map<Name, Sample[]>() }));
  for (const one of cases) await fillCeiling(one, load.connections);
  for (let round = load.seconds > 0 ? 0 : 1; round <= load.rounds; round++) {
    log(round === 0 ? 'Warming up.' : `Round ${round} of ${load.rounds}.`);
    for (const { one, samples } of all) {
      for (const contender of one.contenders) {
        const sample = await measureOnce(contender, one, load);
        await one.restore?.();
        if (round > 0) samples.set(contender.name, [...(samples.get(contender.name) ?? []), sample]);
      }
    }
  }
  return all.map(({ one: { key, title, rows }, samples }) => ({ key, title, rows, samples }));
}

/** Sends all requests to the ceiling once, so that it has the responses. */
async function fillCeiling<Wanted>({ contenders, wanted }: Case<Wanted>, connections: number): Promise<void> {
  const ceiling = contenders.find(({ name }) => name === 'ceiling');
  if (!ceiling) return;
  const fill = async (connection: number) => {
    for (const one of wanted(connection)) await fetchText(ceiling.url, ceiling.request(one));
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => fill(connection)));
}

/** @throws Error if the status of a response is not 2xx */
async function measureOnce<Wanted>(contender: Contender<Wanted>, one: Case<Wanted>, load: Load): Promise<Sample> {
  const { name, url, request } = contender;
  let connection = 0;
  const responses: TimedResponse[] = [];
  const errors: string[] = [];
  const runIn = Math.min(RUN_IN, load.seconds);
  const start = performance.now() + runIn * 1000;
  const result = await fire(responses, errors, {
    url,
    connections: load.connections,
    ...(load.seconds > 0 ? { duration: runIn + load.seconds } : { amount: FEWEST * load.connections }),
    // autocannon ends at the first sample after the duration: by default up to one second later.
    sampleInt: 100,
    bailout: 1,
    setupClient: (client) => client.setRequests(one.wanted(connection++).map(request)),
  });
  const seconds = (performance.now() - start) / 1000;
  const times = responses.filter(({ at }) => at >= start).map(({ milliseconds }) => milliseconds);
  if (result['2xx'] < responses.length || errors.length > 0 || times.length === 0) {
    const wrong = [...errors, ...Object.keys(result.statusCodeStats ?? {}).map((status) => `status ${status}`)];
    throw new Error(`${name} did not respond to every request with 2xx (${wrong.join(', ')}): ${one.title}.`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { requestsPerSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Seconds excluded at the beginning: a pool that was idle while others were measured reconnects. */
const RUN_IN = 0.5;
/** Requests of each connection, among them a write of the mixed load. */
const FEWEST = 20;

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
