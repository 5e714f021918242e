/** The message catalog: complete and translated in every language. */
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { CATALOGS, createMessage, LANGUAGES, type Language, type MessageKey } from '../../src/messages/message.js';
import { SAMPLES } from '../support/message-samples.js';

/** Words that stay in Latin letters in Korean: names of formats, protocols, headers, fields and products. */
const TECHNICAL = new Set(
  `AI API api AVIF Authorization BMP Bearer Content Disposition Encoding GIF GraphQL HEIC HTML Host Idempotency If Match JPEG JSON Key Length MB OpenAI PDF
  ASCII persistedQuery sha Hash version PNG POST PUT RFC SVG TIFF Type UTC UTF UUID WebP WebSocket XL ZIP application boundary customStyleId data example false file first form
  base ES EdDSA ID ORIGINS Apollo Atom Feed OpenAPI REST RSS URL PublicKeyCredential RP RS WEBAUTHN json linkSocialAccount map multipart name org request graphql transport true toJSON url writingStyle ws`.split(
    /\s+/,
  ),
);

const KEYS = Object.keys(CATALOGS.en) as MessageKey[];

/** The texts of a message, one for each sample of its parameters. */
function textsOf(key: MessageKey, language: Language): string[] {
  const samples = (SAMPLES as Record<string, readonly (readonly unknown[])[]>)[key] ?? [[]];
  return samples.map((parameters) => createMessage(key as never, ...(parameters as [])).in(language));
}

/** The parts that every language must contain: numbers, and inserted values in angle quotes. */
function givenIn(text: string): string[] {
  return text.match(/«[^»]*»|\d+(?:\.\d+)?/g) ?? [];
}

describe('The message catalog', () => {
  it('has the same keys in every language, each once over all subjects', async () => {
    for (const language of LANGUAGES) {
      const folder = new URL(`../../src/messages/${language}/`, import.meta.url);
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

  it('has no English words except technical names in Korean texts', () => {
    for (const key of KEYS)
      for (const text of textsOf(key, 'ko')) {
        const own = text.replace(/«[^»]*»/g, '').replace(/U\+0000|[A-Z]+(?:_[A-Z]+)+/g, '');
        expect(own, key).to.match(/\p{Script=Hangul}/u);
        const foreign = (own.match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !TECHNICAL.has(word));
        expect(foreign, `${key}: ${text}`).to.deep.equal([]);
      }
  });

  it('uses the formal style in Korean', () => {
    for (const key of KEYS) for (const text of textsOf(key, 'ko')) expect(text, key).not.to.match(/[요죠](?:[.!]|$)/);
  });

  it('uses every listed technical name in a message', () => {
    const words = new Set(
      KEYS.flatMap((key) => textsOf(key, 'ko').flatMap((text) => text.match(/[A-Za-z]{2,}/g) ?? [])),
    );
    expect([...TECHNICAL].filter((word) => !words.has(word))).to.deep.equal([]);
  });

  it('renders a nested message in the language of the outer message', () => {
    const nested = createMessage('each', createMessage('mustBeString', '7'));
    expect(nested.in('en')).to.equal('each must be a string, got 7');
    expect(nested.in('ko')).to.equal('각 요소에 대한 규칙: 문자열이어야 합니다. 받은 값: 7');
  });
});
