import { Readable } from 'node:stream';
import { expect } from 'chai';
import { elementsOf, type JsonElement } from '../../src/import/json-elements.js';
import { FileError } from '../../src/platform/errors.js';

const fileOf = (chunks: Iterable<Buffer>) => ({ path: 'a.json', size: 0, open: async () => Readable.from(chunks) });

async function read(json: string, chunkBytes: number, wanted = /^db\.0\.data\.posts\.\d+$/): Promise<JsonElement[]> {
  const bytes = Buffer.from(json);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, at) =>
    bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes),
  );
  const elements: JsonElement[] = [];
  for await (const element of elementsOf(fileOf(chunks), (path) => wanted.test(path))) elements.push(element);
  return elements;
}

describe('Objects of a JSON document', () => {
  const posts = [{ a: '}]{["\\', posts: [{ b: 1 }] }, { '한글 "': 'x\u2028\n', c: [null, true, -1.5e3, {}] }, {}];
  const text = JSON.stringify({
    'd"b': [1],
    db: [{ meta: { posts: [{}] }, data: { other: [{ e: [[]] }], posts, 'po\nsts': [] } }],
  });

  it('are read whatever the chunks and the space are', async () => {
    for (const json of [text, `\ufeff${JSON.stringify(JSON.parse(text), null, '\t')}\n`]) {
      for (const bytes of [1, 2, 3, 7, 1e6]) {
        expect(await read(json, bytes), `${bytes} bytes`).to.deep.equal(
          posts.map((value, at) => ({ path: `db.0.data.posts.${at}`, value })),
        );
      }
    }
  });

  it('are read one at a time', async () => {
    let chunks = 0;
    const one = Buffer.from(`{"a":"${'b'.repeat(1000)}"},`);
    const document = function* () {
      yield Buffer.from('{"posts":[');
      for (; chunks < 10_000; chunks++) yield one;
      yield Buffer.from('{}]}');
    };
    for await (const { path } of elementsOf(fileOf(document()), (name) => /^posts\.\d+$/.test(name))) {
      if (path !== 'posts.99') continue;
      // The rest is what the stream reads ahead.
      expect(chunks).to.be.below(200);
    }
    expect(chunks).to.equal(10_000);
  });

  it('end with an error at bytes that are not UTF-8, and do not lose them silently', async () => {
    const chunks = [Buffer.from('{"posts":[{"a":"안'), Buffer.from([0xbe, 0xc8]), Buffer.from('"}]}')];
    const elements = elementsOf(fileOf(chunks), () => true);
    const error = await elements.next().catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(FileError);
    expect((error as Error).message).to.match(/^after \d+ bytes it is not text in UTF-8/);
  });

  it('end with an error if the document is truncated, invalid, or too deep', async () => {
    const failure = (json: string) =>
      read(json, 1e6).then(
        () => null,
        (error: unknown) => error,
      );
    for (const [json, message] of [
      [text.slice(0, -1), 'truncated'],
      ['', 'truncated'],
      ['{"db":[{"data":{"posts":[{a}]}}]}', 'posts.0 is not valid JSON'],
      ['['.repeat(1e5), 'nested more than 200 levels'],
      [`{"db":[{"data":{"posts":[{"a":"${'b'.repeat(17 * 1024 * 1024)}"}]}}]}`, 'posts.0 has more than'],
    ] as const) {
      const error = await failure(json);
      expect(error).to.be.instanceOf(FileError);
      expect((error as Error).message).to.include(message);
    }
  });
});
