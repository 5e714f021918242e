/** Measures all contenders in each round, so that other load on the machine affects all of them equally. */
import autocannon from 'autocannon';
import { APIS, type Case, type Name, type Urls } from './requests.js';
import { log } from './session.js';

export interface Load {
  /** Duration of one contender with one case in one round. */
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

export interface Measured<One extends Case = Case, Names extends Name = Name> {
  case: One;
  /** One entry per round. */
  samples: Record<Names, Sample[]>;
}

/**
 * @param cases each with the contenders that have its data
 * @returns results in the order of the cases; the first round, which warms up compilers and caches, is omitted.
 */
export async function measure<One extends Case, Names extends Name>(
  cases: readonly { case: One; urls: Urls<Names> }[],
  load: Load,
): Promise<Measured<One, Names>[]> {
  const all = cases.map(({ case: one, urls }) => {
    const names = Object.keys(urls) as Names[];
    return {
      one,
      urls,
      names,
      samples: Object.fromEntries(names.map((name): [string, Sample[]] => [name, []])) as Record<Names, Sample[]>,
    };
  });
  for (let round = 0; round <= load.rounds; round++) {
    log(round === 0 ? 'Warming up.' : `Round ${round} of ${load.rounds}.`);
    for (const { one, urls, names, samples } of all) {
      for (const name of names) {
        const requests = (connection: number) => one.requests(APIS[name], round, connection);
        const sample = await measureRequests({ name, title: one.title, url: urls[name], requests }, load);
        if (round > 0) samples[name].push(sample);
      }
    }
  }
  return all.map(({ one, samples }) => ({ case: one, samples }));
}

/** A contender and its requests. */
export interface Target {
  name: string;
  title: string;
  url: string;
  /** Requests sent in order on one connection. */
  requests(connection: number): autocannon.Request[];
}

/** @throws Error if a response is not 200 */
export async function measureRequests({ name, title, url, requests }: Target, load: Load): Promise<Sample> {
  let connection = 0;
  const responses: Response[] = [];
  const errors: string[] = [];
  const start = performance.now() + RUN_IN * 1000;
  const result = await fire(responses, errors, {
    url,
    connections: load.connections,
    duration: RUN_IN + load.seconds,
    // autocannon ends at the first sample after the duration: by default up to one second later.
    sampleInt: 100,
    bailout: 1,
    setupClient: (client) => client.setRequests(requests(connection++)),
  });
  const seconds = (performance.now() - start) / 1000;
  const times = responses.filter(({ at }) => at >= start).map(({ milliseconds }) => milliseconds);
  if (result['2xx'] < responses.length || errors.length > 0 || times.length === 0) {
    const wrong = [...errors, ...Object.keys(result.statusCodeStats ?? {}).map((status) => `status ${status}`)];
    throw new Error(`${name} did not return status 200 for every request (${wrong.join(', ')}): ${title}.`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { requestsPerSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Seconds excluded at the beginning: a pool that was idle while others were measured reconnects. */
const RUN_IN = 0.5;

interface Response {
  /** Time of arrival, from `performance.now()`. */
  at: number;
  /** Unrounded response time from the event: autocannon's own statistics are in whole milliseconds. */
  milliseconds: number;
}

/**
 * @param responses receives every response
 * @param errors receives each distinct connection error message
 */
function fire(responses: Response[], errors: string[], options: autocannon.Options): Promise<autocannon.Result> {
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
