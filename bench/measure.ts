/** Measures all contenders in each round, so that other load on the machine affects all of them equally. */
import autocannon from 'autocannon';
import type { Case } from './cases.js';
import { type Field, NAMES, type Name, SURFACES } from './field.js';
import { pageRequest } from './requests.js';

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

/** One entry per round. */
export type Samples = Record<Name, Sample[]>;

export interface Measured {
  case: Case;
  samples: Samples;
}

/**
 * @param cases each with the contenders that have its data
 * @param tell called with progress messages
 * @returns results in the order of the cases; the first round, which warms up compilers and caches, is omitted.
 */
export async function measure(
  cases: readonly { case: Case; field: Field }[],
  load: Load,
  tell: (line: string) => void,
): Promise<Measured[]> {
  const all = cases.map((one) => ({ ...one, samples: { floor: [], textbook: [], rest: [], graphql: [] } as Samples }));
  for (let round = 0; round <= load.rounds; round++) {
    tell(round === 0 ? 'Warming up.' : `Round ${round} of ${load.rounds}.`);
    for (const { case: one, field, samples } of all) {
      for (const name of NAMES) {
        const sample = await measureOnce(name, field[name], one, round, load);
        if (round > 0) samples[name].push(sample);
      }
    }
  }
  return all.map(({ case: one, samples }) => ({ case: one, samples }));
}

function measureOnce(name: Name, url: string, one: Case, round: number, load: Load): Promise<Sample> {
  const requests = (connection: number) =>
    one.pages(round, connection).map((wanted) => pageRequest(SURFACES[name], wanted));
  return measureRequests({ name, title: one.title, url, requests }, load);
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
  const answers: Answer[] = [];
  const faults: string[] = [];
  const start = performance.now() + RUN_IN * 1000;
  const result = await fire(answers, faults, {
    url,
    connections: load.connections,
    duration: RUN_IN + load.seconds,
    // autocannon ends at the first sample after the duration: by default up to one second later.
    sampleInt: 100,
    bailout: 1,
    setupClient: (client) => client.setRequests(requests(connection++)),
  });
  const seconds = (performance.now() - start) / 1000;
  const times = answers.filter(({ at }) => at >= start).map(({ milliseconds }) => milliseconds);
  if (result['2xx'] < answers.length || faults.length > 0 || times.length === 0) {
    const wrong = [...faults, ...Object.keys(result.statusCodeStats ?? {}).map((status) => `status ${status}`)];
    throw new Error(`${name} did not answer every request with 200 (${wrong.join(', ')}): ${title}.`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { requestsPerSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Seconds excluded at the beginning: a pool that was idle while others were measured reconnects. */
const RUN_IN = 0.5;

interface Answer {
  /** Time of arrival, from `performance.now()`. */
  at: number;
  /** Unrounded response time from the event: autocannon's own statistics are in whole milliseconds. */
  milliseconds: number;
}

/**
 * @param answers receives every response
 * @param faults receives each distinct connection error message
 */
function fire(answers: Answer[], faults: string[], options: autocannon.Options): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on('response', (_client, _status, _bytes, milliseconds) => {
      answers.push({ at: performance.now(), milliseconds });
    });
    instance.on('reqError', (error: Error) => {
      if (!faults.includes(error.message)) faults.push(error.message);
    });
  });
}
