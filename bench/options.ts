/** Command-line options of the benchmarks. */
import { parseArgs } from 'node:util';

/** A whole number. */
export type NumberOption = readonly [about: string, usual: number, min: number, max: number];

/** The options of a `Load`. */
export const LOAD_OPTIONS = {
  seconds: ['duration of each contender with each case in each round', 4, 0, 600],
  rounds: ['rounds after the one that warms up', 5, 1, 100],
  connections: ['concurrent connections', 16, 1, 1000],
} as const satisfies Record<string, NumberOption>;

type Numbers<Name extends string> = Readonly<Record<Name, NumberOption>>;
type Texts<Text extends string> = Readonly<Record<Text, string>>;

/** @throws Error that names the invalid option */
export function readOptions<Name extends string, Text extends string>(numbers: Numbers<Name>, texts?: Texts<Text>) {
  const names = [...Object.keys(numbers), ...Object.keys(texts ?? {})];
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
      smallest: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { smallest: isSmallest, json: isJson, markdown: isMarkdown, help: isHelp, ...rest } = values;
  const given: Record<string, unknown> = rest;
  const read = Object.entries<NumberOption>(numbers).map(([name, [, usual, min, max]]) => {
    const text = String(given[name] ?? (isSmallest ? min : usual));
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return [name, Number(text)];
    throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  });
  const options = { ...texts, ...given, ...Object.fromEntries(read) };
  return { values: options as Record<Name, number> & Record<Text, string>, isJson, isMarkdown, isHelp };
}

export function usageOf<Text extends string>(numbers: Numbers<string>, texts?: Texts<Text>): string {
  const lines = Object.entries(numbers).map(([name, [about, usual]]) => `  --${name.padEnd(12)} ${about} (${usual})`);
  const others = Object.entries(texts ?? {}).map(([name, usual]) => `  --${name.padEnd(12)} (${usual || 'none'})`);
  return [
    ...lines,
    ...others,
    '  --smallest     the smallest value of each number: whether the benchmark works',
    '  --json         all figures as JSON on standard output',
    '  --markdown     tables of the documentation, if it has any',
    '',
  ].join('\n');
}
