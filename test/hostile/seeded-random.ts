/** Random choices of a generated request, all of them drawn from fast-check, so that a seed repeats them. */
import fc from 'fast-check';

export class SeededRandom {
  constructor(private readonly value: fc.GeneratorValue) {}

  integer(min: number, max: number): number {
    return this.value(integers(min, max));
  }

  /** @param percent of all draws that are true */
  chance(percent: number): boolean {
    return this.integer(1, 100) <= percent;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** Unicode of any kind, lone surrogates and control characters included. */
  text(maxLength: number): string {
    return this.value(fc.string, { unit: 'binary', maxLength });
  }

  /** JSON values that no type accepts. As JSON text, since JSON.stringify cannot produce some of them. */
  hostileJson(): string {
    return this.pick(HOSTILE_JSON)(this);
  }
}

const builders = new Map<string, () => fc.Arbitrary<number>>();

/** One function for each range: fast-check finds it at once, but would compare the range with those of all earlier calls. */
function integers(min: number, max: number): () => fc.Arbitrary<number> {
  const key = `${min} ${max}`;
  const found = builders.get(key);
  if (found) return found;
  const arbitrary = fc.integer({ min, max });
  const builder = () => arbitrary;
  builders.set(key, builder);
  return builder;
}

const HOSTILE_JSON: readonly ((random: SeededRandom) => string)[] = [
  () => 'null',
  () => 'true',
  () => '-1',
  () => '0',
  () => '1.5',
  () => '1e400',
  () => '2147483648',
  () => '9007199254740993',
  () => '""',
  () => '"\\ud800"',
  () => '"\\u0000"',
  () => '"\u202e\u200b"',
  () => '[]',
  () => '{}',
  () => '{"__proto__":{"x":1},"constructor":1,"toString":null}',
  () => '{"a":1,"a":2}',
  (random) => JSON.stringify(random.text(40)),
  (random) => `"${'x'.repeat(random.integer(1, 3_000))}"`,
  (random) => `"${'가😀'.repeat(random.integer(1, 60_000))}"`,
  (random) => `[${'1,'.repeat(random.integer(0, 20_000))}1]`,
  (random) => {
    const depth = random.integer(1, 20_000);
    return '['.repeat(depth) + ']'.repeat(depth);
  },
  (random) => {
    const depth = random.integer(1, 5_000);
    return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
];

/** Equal seeds give equal choices. */
export function randomFrom(seed: number): SeededRandom {
  const [value] = fc.sample(fc.noBias(fc.gen()), { seed, numRuns: 1 });
  if (!value) throw new Error('no value');
  return new SeededRandom(value);
}
