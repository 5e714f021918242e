/** The message catalog: complete and translated in every language. */
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import {
  CATALOGS,
  createMessage,
  LANGUAGES,
  type Language,
  type MessageKey,
} from '../../../src/platform/messages/message.js';
import { SAMPLES } from '../../support/message-samples.js';

const KEYS = Object.keys(CATALOGS.en) as MessageKey[];

/** Appear unchanged in the texts of every language, whether they stand for numbers or for inserted values. */
const NUMBERS = [31, 42, 53, 64, 75];

/** The texts of a message, one for each sample of its parameters. */
function textsOf(key: MessageKey, language: Language): string[] {
  const { length } = Object(CATALOGS.en[key]) as { length: number };
  const numbers = typeof CATALOGS.en[key] === 'string' ? [] : NUMBERS.slice(0, length);
  const samples: readonly (readonly unknown[])[] = SAMPLES[key as keyof typeof SAMPLES] ?? [numbers];
  return samples.map((parameters) => String(createMessage(key as never, ...(parameters as [])).in(language)));
}

/** The parts that every language must contain: numbers, and inserted values in angle quotes. */
function givenIn(text: string): string[] {
  return text.match(/«[^»]*»|\d+(?:\.\d+)?/g) ?? [];
}

describe('The message catalog', () => {
  it('has the same keys in every language, each once over all subjects', async () => {
    for (const language of LANGUAGES) {
      const folder = new URL(`../../../src/platform/messages/${language}/`, import.meta.url);
      const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && name !== 'index.js');
      const subjects = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
      const keys = subjects.flatMap((subject) =>
        Object.values<object | ((...parameters: never[]) => string)>(subject)
          .filter((value) => typeof value === 'object')
          .flatMap((texts) => Object.keys(texts)),
      );
      expect(keys, language).to.have.members(KEYS);
      expect(new Set(keys).size, language).to.equal(KEYS.length);
    }
  });

  it('has a text for every message and every sample of its parameters', () => {
    for (const language of LANGUAGES)
      for (const key of KEYS)
        for (const text of textsOf(key, language)) {
          expect(text, `${language} ${key}`).to.match(/\S/);
          expect(text, `${language} ${key}`).not.to.match(/undefined|null|NaN|\[object|Infinity/);
        }
  });

  it('contains in Korean the numbers over 30 and the inserted values of the English text', () => {
    for (const key of KEYS) {
      const english = textsOf(key, 'en');
      for (const [at, text] of textsOf(key, 'ko').entries())
        for (const given of givenIn(english[at] ?? '').filter((one) => one.startsWith('«') || Number(one) > 30))
          expect(text, key).to.contain(given);
    }
  });

  it('has no English phrases in Korean texts', () => {
    for (const key of KEYS)
      for (const text of textsOf(key, 'ko')) {
        const own = text.replace(/«[^»]*»/g, '');
        expect(own, key).to.match(/\p{Script=Hangul}/u);
        expect(own, key).not.to.match(/[a-z]{2,} [a-z]{2,}/);
      }
  });

  it('uses the formal style in Korean', () => {
    for (const key of KEYS) for (const text of textsOf(key, 'ko')) expect(text, key).not.to.match(/[요죠](?:[.!]|$)/);
  });

  it('renders a nested message in the language of the outer message', () => {
    const nested = createMessage('each', createMessage('mustBeString', '7'));
    expect(nested.in('en')).to.equal('each must be a string, got 7');
    expect(nested.in('ko')).to.equal('각 요소에 대한 규칙: 문자열이어야 합니다. 받은 값: 7');
  });
});
