/** The report of an import as a JSON file, with the old address of each article and its id: for redirects from the old host. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../platform/database/pool.js';
import type { Report } from './report.js';
import { findImported, inBatches, journalOf } from './writer.js';

export async function writeReportFile(file: FileHandle, report: Report, database: Database): Promise<void> {
  await pipeline(Readable.from(chunksOf(report, database)), file.createWriteStream());
}

/** One article at a time, since a blog can have any number of them. */
async function* chunksOf(report: Report, database: Database): AsyncGenerator<string> {
  const head = JSON.stringify(report, undefined, 2).replace(/\n\}$/, '');
  yield `${head},\n  "articles": [`;
  let separator = '\n';
  for (const batch of inBatches(report.oldAddresses.all())) {
    const keys = batch.map(({ postId }) => postId);
    const ids = await findImported(journalOf(database, report.source?.origin ?? ''), 'article', keys);
    for (const { address, postId } of batch) {
      const articleId = ids.get(postId);
      if (articleId === undefined) continue;
      yield `${separator}    ${JSON.stringify({ address, articleId })}`;
      separator = ',\n';
    }
  }
  yield '\n  ]\n}\n';
}
