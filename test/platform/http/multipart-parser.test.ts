/** The parser of multipart bodies: chunk sizes, limits and malformed bodies. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { AppError } from '../../../src/platform/errors.js';
import { MultipartParser } from '../../../src/platform/http/multipart-parser.js';

const LIMITS = { maxParts: 20, maxHeaderBytes: 1024, maxBytesOf: (name: string) => (name === 'small' ? 10 : 100_000) };

function parserOf(boundary: string) {
  return new MultipartParser(`multipart/form-data; boundary="${boundary}"`, LIMITS);
}

/** Parses a body in chunks of `size` bytes. @returns name, filename and content of each part */
function parse(body: string, size = body.length, boundary = 'b') {
  const parser = parserOf(boundary);
  const bytes = Buffer.from(body, 'latin1');
  for (let at = 0; at < bytes.length; at += size) parser.write(Buffer.from(bytes.subarray(at, at + size)));
  return parser.end().map(({ name, filename, bytes: content }) => [name, filename, content.toString('latin1')]);
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as AppError).key;
  }
  return 'none';
}

const part = (content: string, name = 'x') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

describe('The multipart parser', () => {
  it('returns the same parts for any chunk size', () => {
    const contents = [
      '',
      'text',
      '\r\n',
      '\r\n--',
      '\r\n--bb',
      '--b',
      '\r\n--b \tx',
      '\r\n--b-',
      '\r\n\r\n',
      '\r\n--b\r',
    ];
    const body = `before\r\n${contents.map((content) => part(content)).join('')}--b--after\r\n--b\r\n`;
    const expected = contents.map((content) => ['x', null, content]);
    for (let size = 1; size <= body.length; size++) expect(parse(body, size), String(size)).to.deep.equal(expected);
  });

  it('returns any content without a delimiter unchanged', () => {
    const content = fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'b', 'a', ' ', '\0') });
    fc.assert(
      fc.property(fc.array(content, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), (contents, size) => {
        const kept = contents.filter((one) => !/\r\n--b(?:--|[ \t]*\r\n)/.test(`\r\n\r\n${one}\r\n`));
        const found = parse(`${kept.map((one) => part(one)).join('')}--b--`, size);
        expect(found).to.deep.equal(kept.map((one) => ['x', null, one]));
      }),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('parses names and filenames in the forms of browsers and other clients', () => {
    const heads = {
      'Content-Disposition: form-data; name="a"; filename="b.png"': ['a', 'b.png'],
      'content-disposition:form-data;name=a;filename=b': ['a', 'b'],
      'Content-Type: x/y\r\nContent-Disposition: form-data; name="a\\"b"; filename="c\\\\d"': ['a"b', 'c\\d'],
      'Content-Disposition: form-data; filename="name=x"; name="a"': ['a', 'name=x'],
      'Content-Disposition: form-data; name="a"; filename*=utf-8\'\'b': ['a', "utf-8''b"],
      'Content-Disposition: form-data; name=""': ['', null],
    };
    for (const [head, found] of Object.entries(heads)) {
      expect(parse(`--b\r\n${head}\r\n\r\nz\r\n--b--`), head).to.deep.equal([[...found, 'z']]);
    }
  });

  it('rejects malformed multipart bodies and boundaries', () => {
    for (const body of [
      '',
      'text',
      '--b',
      '--b\r\n',
      '--c\r\n\r\n\r\n--c--',
      part('x'),
      `${part('x')}--b-`,
      '--b\r\n\r\nx\r\n--b--',
      '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--',
      '--b\r\nContent-Disposition: attachment; name="x"\r\n\r\nx\r\n--b--',
      '--b\nContent-Disposition: form-data; name="x"\n\nx\n--b--',
    ]) {
      for (const size of [1, body.length || 1]) {
        expect(
          codeOf(() => parse(body, size)),
          JSON.stringify(body),
        ).to.equal('BAD_REQUEST');
      }
    }
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary=${'b'.repeat(71)}`,
    ]) {
      expect(
        codeOf(() => new MultipartParser(type, LIMITS)),
        type,
      ).to.equal('BAD_REQUEST');
    }
  });

  it('rejects the first part over the limit without waiting for the rest', () => {
    const parser = parserOf('b');
    parser.write(Buffer.from(part('').repeat(20)));
    expect(codeOf(() => parser.write(Buffer.from('--b\r\n')))).to.equal('BAD_REQUEST');
  });

  it('rejects headers or content of a part as soon as they exceed their limit', () => {
    const headers = parserOf('b');
    headers.write(Buffer.from(`--b\r\n${'x'.repeat(1000)}`));
    expect(codeOf(() => headers.write(Buffer.from('x'.repeat(100))))).to.equal('BAD_REQUEST');
    const small = parserOf('b');
    small.write(Buffer.from(part('0123456789', 'small')));
    small.write(Buffer.from('--b\r\nContent-Disposition: form-data; name="small"\r\n\r\n01234'));
    expect(codeOf(() => small.write(Buffer.from('5678901234567')))).to.equal('PAYLOAD_TOO_LARGE');
  });

  it('returns content with many lines that begin like a delimiter', () => {
    const near = '\r\n--bX'.repeat(15_000);
    expect(parse(`${part(near)}--b--`, 4096)).to.deep.equal([['x', null, near]]);
  });
});
