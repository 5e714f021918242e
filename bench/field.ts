/** All contenders for one data set, and the check that they return the same responses. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AtEnd, startContender } from './contender.js';
import type { BenchData } from './data.js';
import { startDaybook } from './daybook.js';
import { fetchPage, type PageWanted, type Surface } from './requests.js';

export const NAMES = ['floor', 'textbook', 'rest', 'graphql'] as const;
export type Name = (typeof NAMES)[number];

export const SURFACES: Record<Name, Surface> = { floor: 'rest', textbook: 'graphql', rest: 'rest', graphql: 'graphql' };

/** URL of each contender; REST and /graphql are one service. */
export type Field = Record<Name, string>;

/** @param folder for the logs */
export async function startField(data: BenchData, folder: string, atEnd: AtEnd): Promise<Field> {
  const beside = (name: 'floor' | 'textbook', readyPath: string) => {
    const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
    const logFile = join(folder, `${name}-${data.comments}.log`);
    return startContender({ name, script, databaseUrl: data.url, readyPath, logFile }, atEnd);
  };
  const floor = await beside('floor', '/readyz');
  const textbook = await beside('textbook', '/graphql?query={__typename}');
  const daybook = await startDaybook(data.url, folder, data.comments, atEnd);
  const field = { floor, textbook, rest: daybook, graphql: daybook };
  await requireSame(field, data);
  return field;
}

/** Different responses would make the comparison invalid. */
async function requireSame(field: Field, data: BenchData): Promise<void> {
  for (const wanted of samples(data)) {
    const page = (name: Name) => fetchPage(field[name], SURFACES[name], wanted);
    requireEqual(['floor', await page('floor')], ['rest', await page('rest')], wanted);
    requireEqual(['textbook', await page('textbook')], ['graphql', await page('graphql')], wanted);
  }
}

/** Pages of the hot article from the first to past the last, and other articles. */
function samples({ comments, hotArticleId, firstArticleId, lastArticleId }: BenchData): PageWanted[] {
  const lastPage = Math.ceil(comments / 150);
  const ofHot = [1, 2, Math.ceil(lastPage / 7), lastPage - 1, lastPage, lastPage + 9];
  const others = [firstArticleId, Math.ceil(lastArticleId / 3), Math.ceil(lastArticleId / 2), lastArticleId];
  return [
    ...ofHot.map((page) => ({ articleId: hotArticleId, page })),
    ...others.flatMap((articleId) => [1, 2, 5].map((page) => ({ articleId, page }))),
  ];
}

function requireEqual([a, ofA]: [Name, string], [b, ofB]: [Name, string], { articleId, page }: PageWanted): void {
  if (ofA === ofB) return;
  let at = 0;
  while (ofA[at] === ofB[at]) at++;
  const near = (text: string) => text.slice(Math.max(0, at - 40), at + 40);
  throw new Error(
    `${a} and ${b} answer differently to page ${page} of article ${articleId}, from character ${at}:\n` +
      `${a}: …${near(ofA)}…\n${b}: …${near(ofB)}…`,
  );
}
