/** Reads the response of a write in the transaction of the write: afterwards a read can fail although the write is committed. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { selectionIncludes } from './selection.js';

/**
 * The context for a command, whose transaction then ends with `load`.
 * @param load loads what the response needs with the loaders of the context, which keep it; its argument is the result of the transaction
 */
export function readingBack(context: Context, load: (written: unknown) => Promise<unknown>): Context {
  const { database, loaders } = context;
  const inTransaction: Context['database']['inTransaction'] = (work, options) =>
    database.inTransaction(async (transaction) => {
      const written = await work(transaction);
      await loaders.within(transaction, () => load(written));
      return written;
    }, options);
  return { ...context, database: { ...database, inTransaction } };
}

/** Loads an article again after it has changed, with the selected parts of it that are in other tables. */
export async function reloadArticle({ loaders }: Context, id: number, info: GraphQLResolveInfo): Promise<void> {
  const selects = (...fields: string[]) => fields.some((field) => selectionIncludes(info, field));
  loaders.htmlByArticle.clear(id);
  loaders.summaryByArticle.clear(id);
  // One after the other, because they share the connection of the transaction.
  await loaders.articleById.clear(id).load(id);
  if (selects('contentHtml')) await loaders.htmlByArticle.load(id);
  if (selects('summaryStatus', 'aiTags')) await loaders.summaryByArticle.load(id);
}
