/** Cases of articles that the service is compared in with other products. */
import type { PageWanted } from './cases.js';
import { requireSame, startFloor } from './contenders.js';
import type { BenchData } from './data.js';
import { withClient } from './database.js';
import type { Case, Contender } from './measure.js';
import { randomIds } from './random.js';
import type { PageRequest } from './requests.js';
import type { AtEnd } from './session.js';

export type ArticleWanted = { slug: string } | { page: number };

/** A product, and what it has: a page of comments, articles. */
export interface Peer {
  comments?: Contender<PageWanted>;
  articles?: Contender<ArticleWanted>;
}

export const LIST_SIZE = 20;

/** Starts the floor for articles. @param services of the cases of comments @param peers those that are compared */
export async function articleCases(
  { url: databaseUrl, comments, firstArticleId, lastArticleId }: BenchData,
  services: readonly Contender<PageWanted>[],
  peers: readonly Contender<ArticleWanted>[],
  node: string,
  atEnd: AtEnd,
): Promise<Case<ArticleWanted>[]> {
  const slugs = await withClient(databaseUrl, async (client) => {
    await client.query(SLUGS);
    const { rows } = await client.query<{ slug: string }>('select slug from articles order by id');
    return rows.map(({ slug }) => slug);
  });
  const suffix = `-articles-${comments}`;
  const { floor, ceiling } = await startFloor({ databaseUrl, node, suffix, floor: 'article-floor' }, atEnd);
  const rest = services.filter(({ name }) => name === 'rest' || name === 'restUncached');
  const own = [floor, ceiling, ...rest].map((one) => ({ ...one, request: restArticles }));
  const contenders: Contender<ArticleWanted>[] = [...own, ...peers];
  const articles = `${slugs.length.toLocaleString('en')} articles`;
  const lastPage = Math.ceil(slugs.length / LIST_SIZE);
  await requireSame(contenders, [{ page: 1 }, { page: lastPage }, ...slugs.slice(0, 3).map((slug) => ({ slug }))]);
  const shared = { rows: comments, contenders };
  return [
    { ...shared, key: 'list', title: `The ${LIST_SIZE} newest of ${articles}`, wanted: () => [{ page: 1 }] },
    {
      ...shared,
      key: 'slug',
      title: `Random articles by slug, ${articles}`,
      wanted: (connection) =>
        randomIds(firstArticleId, lastArticleId, connection).map((id) => ({ slug: slugs[id - 1] ?? '' })),
    },
  ];
}

/** Triggers do this for articles that are not inserted by a benchmark. */
const SLUGS = 'insert into article_slugs (slug, article_id) select slug, id from articles on conflict do nothing';

function restArticles(wanted: ArticleWanted): PageRequest {
  const path = 'slug' in wanted ? `/by-slug/${wanted.slug}` : `?page=${wanted.page}&size=${LIST_SIZE}`;
  return { method: 'GET', path: `/api/articles${path}` };
}

const COMMON = ['id', 'title', 'slug', 'author', 'memberId', 'category', 'content', 'createdAt', 'updatedAt'];

/** What articles of all products have, and the page numbers of a list. */
export function commonFields(rest: string): string {
  const { data } = JSON.parse(rest) as { data: Record<string, unknown> };
  const pick = (from: Record<string, unknown>) =>
    Object.fromEntries(COMMON.filter((name) => name in from).map((name) => [name, String(from[name]).trim()]));
  if (!Array.isArray(data.contents)) return JSON.stringify(pick(data));
  return JSON.stringify({ ...data, contents: data.contents.map(pick) });
}
