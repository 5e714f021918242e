/** Duration of the job that renders the visible texts of articles from before they existed. */
import { ARTICLES_WITHOUT_TEXT } from '../src/models/article/html.js';
import type { Config } from '../src/platform/config/index.js';
import type { Database } from '../src/platform/database/pool.js';
import { completeRendering } from '../src/services/rendering/article-html.js';
import { RENDERER_VERSION, Renderer } from '../src/services/rendering/renderer.js';
import { withClient } from './database.js';
import { timesOf } from './search-cases.js';
import { type MadeArticle, makeArticles } from './search-text.js';

export interface BackfillFigures {
  /** Articles of each kind that were rendered. */
  articles: number;
  /** Seconds for 10,000 articles of 2,000 characters whose text is their source: the search index does not change. */
  plain: number;
  /** Seconds for 10,000 articles with markup, whose index is written again. */
  marked: number;
  /** Milliseconds to look for missing texts among all articles of the benchmark. */
  scan: number;
}

/** Inserts articles without texts, as a process of an older version does, renders them, and deletes them again. */
export async function measureBackfill(database: Database, url: string, articles: number): Promise<BackfillFigures> {
  const renderer = new Renderer();
  // The contents have no images of this service.
  const services = { database, renderer, config: { publicUrl: 'http://localhost' } as Config };
  const secondsOf = async (mark: (content: string) => string) => {
    const ids = await addArticles(url, articles, mark);
    const [time = 0] = await timesOf(1, async () => {
      for (const id of ids) await completeRendering(services, id, { key: 'texts' });
    });
    return ((time / 1000) * 10_000) / articles;
  };
  try {
    const [scan = 0] = await timesOf(1, async () => {
      for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null; ) {
        const [found]: { last: number | null }[] = await database.query(ARTICLES_WITHOUT_TEXT, [
          next,
          RENDERER_VERSION,
        ]);
        next = found?.last ?? null;
      }
    });
    return { articles, plain: await secondsOf((content) => content), marked: await secondsOf(withMarkup), scan };
  } finally {
    await renderer.stop();
    await withClient(url, (client) => client.query("delete from articles where image = 'bench'"));
  }
}

async function addArticles(url: string, articles: number, mark: (content: string) => string): Promise<number[]> {
  return withClient(url, async (client) => {
    const made = makeArticles(articles, 2000, 11);
    const ids: number[] = [];
    for (let count = 0; count < articles; count++) {
      const { value } = made.next() as IteratorYieldResult<MadeArticle>;
      const { rows } = await client.query(ARTICLE, [value.title, mark(value.content)]);
      ids.push(Number(rows[0].id));
    }
    return ids;
  });
}

const ARTICLE = `insert into articles (member_id, category_id, title, content, image)
  select member_id, id, $1, $2, 'bench' from categories where member_id = 1 returning id`;

/** One word in ten is emphasized, and one in fifty is a link. */
function withMarkup(content: string): string {
  let count = 0;
  return content.replace(/\S+/g, (word) => {
    count++;
    if (count % 50 === 0) return `[${word}](https://example.com/${count})`;
    return count % 10 === 0 ? `**${word}**` : word;
  });
}
