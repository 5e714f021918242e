/** Reads the response of a write in the transaction of the write: afterwards a read can fail although the write is committed. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID } from '../models/article/article.js';
import { HTML_BY_ARTICLE } from '../models/article/html.js';
import { SUMMARIES_BY_ARTICLE } from '../models/summary.js';
import { endingWith } from '../platform/database/wrapped-database.js';
import { articleReaderOf } from '../services/auth/policy.js';
import { RENDERER_VERSION } from '../services/rendering/renderer.js';
import { selectionIncludes } from './selection.js';

/**
 * The context for a command, whose transaction then ends with `load`.
 * @param load loads what the response needs with the loaders of the context, which keep it; its argument is the result of the transaction
 */
export function loadWithinTransaction(context: Context, load: (written: unknown) => Promise<unknown>): Context {
  const { loaders } = context;
  const database = endingWith(context.database, (transaction, written) =>
    loaders.within(transaction, () => load(written)),
  );
  return { ...context, database };
}

/** Loads an article again after it has changed, with the selected parts of it that are in other tables. */
export async function reloadArticle(context: Context, id: number, info: GraphQLResolveInfo): Promise<void> {
  const { loaders } = context;
  const selects = (...fields: string[]) => fields.some((field) => selectionIncludes(info, field));
  loaders.byId(HTML_BY_ARTICLE, RENDERER_VERSION).clear(id);
  loaders.byId(SUMMARIES_BY_ARTICLE).clear(id);
  // One after the other, because they share the connection of the transaction.
  await loaders.byId(ARTICLES_BY_ID, articleReaderOf(context)).clear(id).load(id);
  if (selects('contentHtml')) await loaders.byId(HTML_BY_ARTICLE, RENDERER_VERSION).load(id);
  if (selects('summaryStatus', 'aiTags')) await loaders.byId(SUMMARIES_BY_ARTICLE).load(id);
}
