/** All contenders for one data set of comments, and the check that they return the same responses. */
import { commentsRequest, type Page } from './cases.js';
import { startContender, startDaybook } from './contender.js';
import type { BenchData } from './data.js';
import { APIS, fetchText, type Name, requireEqual, type Urls } from './requests.js';
import type { AtEnd } from './session.js';

export async function startContenders({ url: databaseUrl, ...data }: BenchData, atEnd: AtEnd): Promise<Urls> {
  const start = (name: 'floor' | 'textbook', readyPath: string) =>
    startContender({ name: `${name}-${data.comments}`, script: `./${name}.js`, databaseUrl, readyPath }, atEnd);
  const floor = await start('floor', '/readyz');
  const textbook = await start('textbook', '/graphql?query={__typename}');
  const daybook = await startDaybook(databaseUrl, `daybook-${data.comments}`, atEnd);
  const urls = { floor, textbook, rest: daybook, graphql: daybook };
  for (const page of samples(data)) {
    const fetchPage = (name: Name) => fetchText(urls[name], commentsRequest(APIS[name], page));
    const what = `page ${page.page} of article ${page.articleId}`;
    requireEqual(await fetchPage('floor'), await fetchPage('rest'), `The floor and REST, ${what}`);
    requireEqual(await fetchPage('textbook'), await fetchPage('graphql'), `The textbook and /graphql, ${what}`);
  }
  return urls;
}

/** Pages of the hot article from the first to past the last, and other articles. */
function samples({ comments, hotArticleId, firstArticleId, lastArticleId }: Omit<BenchData, 'url'>): Page[] {
  const lastPage = Math.ceil(comments / 150);
  const ofHot = [1, 2, Math.ceil(lastPage / 7), lastPage - 1, lastPage, lastPage + 9];
  const others = [firstArticleId, Math.ceil(lastArticleId / 3), Math.ceil(lastArticleId / 2), lastArticleId];
  return [
    ...ofHot.map((page) => ({ articleId: hotArticleId, page })),
    ...others.flatMap((articleId) => [1, 2, 5].map((page) => ({ articleId, page }))),
  ];
}
