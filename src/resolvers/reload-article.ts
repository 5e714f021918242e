/** Reads an article again after a write, for its response: in the transaction of the write, since afterwards a read can fail although the write is committed. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article/article.js';
import { HTML_BY_ARTICLE } from '../models/article/html.js';
import { SUMMARIES_BY_ARTICLE } from '../models/summary.js';
import type { Database } from '../platform/database/pool.js';
import { readerOf } from '../services/auth/policy.js';
import { RENDERER_VERSION } from '../services/rendering/renderer.js';
import { requireRow } from './row.js';
import { selectionIncludes } from './selection.js';

/** With the selected parts of it that are in other tables. @throws AppError ARTICLE_NOT_FOUND */
export async function reloadArticle(
  db: Database,
  context: Context,
  id: number,
  info: GraphQLResolveInfo,
): Promise<ArticleRow> {
  const { loaders } = context;
  const selects = (...fields: string[]) => fields.some((field) => selectionIncludes(info, field));
  loaders.byId(HTML_BY_ARTICLE, RENDERER_VERSION).clear(id);
  loaders.byId(SUMMARIES_BY_ARTICLE).clear(id);
  const article = await loaders.reload(db, id, ARTICLES_BY_ID, readerOf(context));
  if (selects('contentHtml')) await loaders.reload(db, id, HTML_BY_ARTICLE, RENDERER_VERSION);
  if (selects('summaryStatus', 'aiTags')) await loaders.reload(db, id, SUMMARIES_BY_ARTICLE);
  return requireRow(article, 'ARTICLE_NOT_FOUND');
}
