/** The report of an import as a JSON file, with the old address of each article and its id: for redirects from the old host. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../platform/database/pool.js';
import type { Report } from './report.js';
import { findImported, inRowBatches, journalOf } from './writer.js';

export async function writeReportFile(file: FileHandle, report: Report, database: Database): Promise<void> {
  await pipeline(Readable.from(chunksOf(report, database)), file.createWriteStream());
}

/** One item at a time, since a blog can have any number of them. */
async function* chunksOf(report: Report, database: Database): AsyncGenerator<string> {
  const { items, ...head } = report.toJSON();
  yield JSON.stringify(head, undefined, 2).replace(/\n\}$/, '');
  yield* arrayOf('items', items);
  yield* arrayOf('articles', articlesOf(report, database));
  yield '\n}\n';
}

async function* arrayOf(name: string, values: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  yield `,\n  "${name}": [`;
  let separator = '\n';
  for await (const value of values) {
    yield `${separator}    ${JSON.stringify(value)}`;
    separator = ',\n';
  }
  yield '\n  ]';
}

async function* articlesOf({ oldAddresses, source }: Report, database: Database): AsyncGenerator<object> {
  for (const batch of inRowBatches(oldAddresses.all())) {
    const keys = batch.map(({ postId }) => postId);
    const ids = await findImported(journalOf(database, source?.origin ?? ''), 'article', keys);
    for (const { address, postId } of batch) {
      const articleId = ids.get(postId);
      if (articleId !== undefined) yield { address, articleId };
    }
  }
}
