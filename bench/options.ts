/** Command-line options of the benchmarks of comments and articles. */
import { parseArgs } from 'node:util';
import type { Load } from './measure.js';

export interface Options {
  /** Number of comments or articles. */
  rows: number;
  load: Load;
  format: 'text' | 'json' | 'markdown';
  /** Whether other products are measured too. */
  hasPeers: boolean;
  /** Path of the Node binary of the measured servers; null for the default. */
  node: string | null;
}

/** Option that sets the number of rows. */
export interface RowsOption {
  name: 'comments' | 'articles';
  initial: number;
  most: number;
}

export const usage = ({ name, initial }: RowsOption) => `
  --${name} N    in the large set of data, from 1,000 (${initial})
  --seconds N     of each contender with each case in each round (4)
  --rounds N      besides the one that warms up (5)
  --connections N concurrent (16)
  --peers         comments only: measures the products in bench/peers too; installs them at the first run
  --node PATH     Node binary of the measured servers (this one; with --peers, the one of bench/peers)
  --markdown      the tables of the documentation
  --json          every figure, on standard output
`;

/** @throws Error that names the invalid option */
export function readOptions({ name, initial, most }: RowsOption): Options | 'help' {
  const number = (value: string) => ({ type: 'string', default: value }) as const;
  const off = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      [name]: number(String(initial)),
      seconds: number('4'),
      rounds: number('5'),
      connections: number('16'),
      peers: off,
      node: { type: 'string' },
      markdown: off,
      json: off,
      help: { ...off, short: 'h' },
    },
  });
  if (values.help) return 'help';
  return {
    rows: between(name, String(values[name]), 1000, most),
    load: {
      seconds: between('seconds', values.seconds, 1, 600),
      rounds: between('rounds', values.rounds, 1, 100),
      connections: between('connections', values.connections, 1, 1000),
    },
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
    hasPeers: values.peers,
    node: values.node ?? null,
  };
}

/** @throws Error if the text is not an integer in this range */
export function between(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
