/** Command-line options of the benchmark. */
import { parseArgs } from 'node:util';
import type { Load } from './measure.js';

export interface Options {
  comments: number;
  load: Load;
  isJson: boolean;
}

export const USAGE = `npm run bench -- [--comments N] [--seconds N] [--rounds N] [--connections N] [--json]

  --comments     comments in the large set of data, from 1,000 (1000000)
  --seconds      of each contender with each case in each round (4)
  --rounds       beside the one that warms up (5)
  --connections  that ask at the same time (16)
  --json         every figure, on standard output
`;

/** @throws Error that names the invalid option */
export function readOptions(args: readonly string[]): Options | 'help' {
  const number = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      comments: number('1000000'),
      seconds: number('4'),
      rounds: number('5'),
      connections: number('16'),
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    comments: between('comments', values.comments, 1000, 50_000_000),
    load: {
      seconds: between('seconds', values.seconds, 1, 600),
      rounds: between('rounds', values.rounds, 1, 100),
      connections: between('connections', values.connections, 1, 1000),
    },
    isJson: values.json,
  };
}

/** @throws Error if the text is not an integer in this range */
export function between(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
