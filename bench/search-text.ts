/** Generates journal articles in Korean, English and both, with word frequencies like those of real text. */
import { randomFrom } from './random.js';

export interface MadeArticle {
  title: string;
  content: string;
  tags: string[];
}

const KOREAN_COMMON =
  '그리고 오늘은 정말 하지만 있습니다. 그래서 오늘 함께 이야기했습니다. 다시 조금 우리 많이 아침에 커피를 마셨다. 산책을 했다. ' +
  '생각했습니다. 그런데 사실 너무 좋은 날이었다. 지금 천천히 처음 가장 여행을 사진을 친구와 집에서 책을 읽었다. 비가 왔다. 저녁에 먹었다.';
const ENGLISH_COMMON =
  'the and to a of in I it was that we my for with on is at this but have not be so as had from you they there when ' +
  'together morning coffee little something because walked after before again though through everything sometimes home day';
const PARTICLES =
  '은 는 이 가 을 를 에 에서 으로 와 과 도 만 까지 부터 의 처럼 보다 입니다. 이었다. 했습니다. 하는 했다. 하고 한 할 하면 해서';
const TITLE_WORDS = '기록 일기 하루 산책 커피 여행 주말 아침 notes on a walk coffee the river winter day'.split(' ');
const TAGS = '일상 여행 커피 산책 독서 요리 사진 음악 운동 daily travel coffee books code music cooking'.split(' ');

const KOREAN_STEMS = 12_000;
const ENGLISH_WORDS = 8_000;
/** Share of words that occur only once: names, misspellings, addresses. */
const HAPAX_SHARE = 0.01;

type Random = () => number;

/** @returns articles of about `length` characters, the same ones for the same seed. */
export function* makeArticles(count: number, length: number, seed = 42): Generator<MadeArticle> {
  const random = randomFrom(seed);
  const speak = languages(random);
  for (let number = 0; number < count; number++) {
    const koreanShare = pick(random, [0.97, 0.97, 0.9, 0.5, 0.03]);
    const word = () => (random() < koreanShare ? speak.korean() : speak.english());
    // Between half and one and a half of the length, so that the mean is the length.
    yield {
      title: `${pick(random, TITLE_WORDS)} ${word()} ${word()}`.slice(0, 100),
      content: textOf(random, word, length * (0.5 + random())),
      tags: [...new Set([pick(random, TAGS), pick(random, TAGS)])],
    };
  }
}

function textOf(random: Random, word: () => string, length: number): string {
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const next = random() < HAPAX_SHARE ? hapax(random) : word();
    parts.push(next, random() < 0.02 ? '\n' : ' ');
    size += next.length + 1;
  }
  return parts.join('');
}

function hapax(random: Random): string {
  const name = Math.floor(random() * 36 ** 8).toString(36);
  return random() < 0.1 ? `https://example.com/2026/${name}` : syllables(random, 3) + name.slice(0, 2);
}

function languages(random: Random): { korean: () => string; english: () => string } {
  const stems = [...KOREAN_COMMON.split(' '), ...many(KOREAN_STEMS, () => syllables(random, 1 + fall(random, 3)))];
  const words = [...ENGLISH_COMMON.split(' '), ...many(ENGLISH_WORDS, () => letters(random, 1 + fall(random, 4)))];
  const particles = PARTICLES.split(' ');
  const commonStems = KOREAN_COMMON.split(' ').length;
  return {
    korean: () => {
      const rank = zipf(random, stems.length);
      return rank < commonStems ? at(stems, rank) : at(stems, rank) + at(particles, zipf(random, particles.length));
    },
    english: () => at(words, zipf(random, words.length)) + (random() < 0.12 ? pick(random, ['.', ',', '!']) : ''),
  };
}

/** Real text uses about 1,500 syllables, a few hundred of them often; here they are spread over the Unicode block. */
function syllables(random: Random, count: number): string {
  const one = () => String.fromCodePoint(0xac00 + ((zipf(random, 1500) * 7919) % 11172));
  return many(count + 1, one).join('');
}

function letters(random: Random, count: number): string {
  const one = () => pick(random, [...'bcdfghjklmnprstvw', 'th', 'st', 'tr', 'ch']) + pick(random, [...'aeiou', 'ea']);
  return many(count, one).join('') + pick(random, ['', 'n', 'r', 's', 'ing', 'ed', 'ly']);
}

/** @returns a rank from 0; rank n has a probability proportional to 1 / (n + 2) */
function zipf(random: Random, size: number): number {
  return Math.min(size - 1, Math.floor(2 * ((size / 2 + 1) ** random() - 1)));
}

/** @returns a number from 0 to `most`, with the middle most probable */
function fall(random: Random, most: number): number {
  return Math.floor(((random() + random()) / 2) * (most + 1));
}

function many<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return at(items, Math.floor(random() * items.length));
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} of ${items.length}`);
  return item;
}
