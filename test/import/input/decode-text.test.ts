/** Texts in real bytes of each encoding. */
import { expect } from 'chai';
import { decodeText } from '../../../src/import/input/decode-text.js';

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

/** The bytes of CP949 and Windows-1252 were written by the codecs of Python. */
const TEXTS: [name: string, bytes: Buffer, encoding: string, text: string][] = [
  ['UTF-8', Buffer.from('봄날의 산책 🦉'), 'utf-8', '봄날의 산책 🦉'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff봄'), 'utf-8', '봄'],
  ['ASCII', Buffer.from('An owl.'), 'utf-8', 'An owl.'],
  ['UTF-8 with a zero byte', Buffer.from(`${'An owl. '.repeat(20)}\0!`), 'utf-8', `${'An owl. '.repeat(20)}\0!`],
  ['a few words in UTF-8 with a zero byte', Buffer.from('title: 봄 a\0b\n'), 'utf-8', 'title: 봄 a\0b\n'],
  ['Russian in UTF-16 LE without a mark', Buffer.from('Добрый день\n', 'utf16le'), 'utf-16le', 'Добрый день\n'],
  ['nothing', Buffer.from(''), 'utf-8', ''],
  ['UTF-16 LE with a mark', Buffer.from('\ufeff봄날', 'utf16le'), 'utf-16le', '봄날'],
  ['UTF-16 BE with a mark', utf16be('\ufeff봄날'), 'utf-16be', '봄날'],
  ['UTF-16 LE without a mark', Buffer.from('title: 봄날\n', 'utf16le'), 'utf-16le', 'title: 봄날\n'],
  ['UTF-16 BE without a mark', utf16be('title: 봄날\n'), 'utf-16be', 'title: 봄날\n'],
  ['EUC-KR', Buffer.from('babdb3afc0c720bbeac3a50a', 'hex'), 'euc-kr', '봄날의 산책\n'],
  ['CP949 with a syllable beyond EUC-KR', Buffer.from('8c6320b9e6b0a220bc84', 'hex'), 'euc-kr', '똠 방각 펲'],
  ['EUC-KR with ASCII', Buffer.from('7469746c653a20c0cfb1e20a', 'hex'), 'euc-kr', 'title: 일기\n'],
  [
    'French in Windows-1252',
    Buffer.from('556e20e974e920e0206c92ee6c652c2064e96ae02076752e', 'hex'),
    'windows-1252',
    'Un été à l’île, déjà vu.',
  ],
  [
    'an apostrophe of Windows-1252',
    Buffer.from('49742773206e6f77206f7220646f6e92742e', 'hex'),
    'windows-1252',
    "It's now or don’t.",
  ],
  [
    'quotes of Windows-1252',
    Buffer.from('9348656c6c6f942c20486520736169642e', 'hex'),
    'windows-1252',
    '“Hello”, He said.',
  ],
  ['German in Windows-1252', Buffer.from('66fc7220dc62e47220d6666f7274', 'hex'), 'windows-1252', 'für Übär Öfort'],
];

describe('decodeText', () => {
  for (const [name, bytes, encoding, text] of TEXTS) {
    it(`reads ${name}`, () => {
      expect(decodeText(bytes)).to.deep.equal({ text, encoding, replaced: 0 });
    });
  }

  it('counts the characters that were damaged, and keeps the others', () => {
    const cut = Buffer.from(`${'봄날의 산책은 길었다. '.repeat(5)}봄`).subarray(0, -1);
    const { text, encoding, replaced } = decodeText(cut);
    expect([encoding, replaced]).to.deep.equal(['utf-8', 1]);
    expect(text).to.match(/^봄날의 .*길었다. �$/);
  });

  it('counts them in EUC-KR too', () => {
    const bytes = Buffer.from('babdb3afc0c720bbeac3a520ff20babdb3af', 'hex');
    expect(decodeText(bytes)).to.deep.equal({ text: '봄날의 산책 � 봄날', encoding: 'euc-kr', replaced: 1 });
  });
});
