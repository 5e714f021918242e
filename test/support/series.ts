/** Series in tests. */
import { expect } from 'chai';
import type { TestApp } from './app.js';
import type { BuiltArticle, BuiltMember } from './build.js';
import { call } from './client.js';
import { rowsOf } from './imported.js';
import { countDeadlocksOf } from './interleave.js';

let count = 0;

/** @returns its id */
export async function buildSeries(
  url: string,
  { token }: Pick<BuiltMember, 'token'>,
  articles: readonly Pick<BuiltArticle, 'id'>[] = [],
  overrides: object = {},
): Promise<number> {
  const json = { title: `Series ${++count}`, articleIds: articles.map(({ id }) => id), ...overrides };
  const { status, body } = await call(url, 'POST /api/series', { token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data.id;
}

/** The ids of all articles of a series in their order, as they are stored. */
export async function storedIn({ database }: Pick<TestApp, 'database'>, seriesId: number): Promise<number[]> {
  const rows = await rowsOf<{ id: number }>(
    database,
    `select id from all_articles where series_id = ${seriesId} order by series_position`,
  );
  return rows.map(({ id }) => Number(id));
}

/** Series that are longer than permitted, or have two articles at one position, and articles of another member than their series. */
export const WRONG_SERIES = `
  select s.id from series s left join all_articles a on a.series_id = s.id group by s.id, s.member_id
  having count(a.id) > 200 or count(a.id) <> count(distinct a.series_position) or bool_or(a.member_id <> s.member_id)
  union all select min(id) from series group by member_id having count(*) > 100`;

/** Those of changes of series. */
export const countDeadlocks = () => countDeadlocksOf('(?:save|delete)_series');
