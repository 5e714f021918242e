/** Adds articles to the groups of their translations. */
import { MAX_TRANSLATIONS } from '../models/article/translation.js';
import { statement } from '../platform/database/statement.js';
import { type ArticlePlan, nameOf } from './plan.js';
import { note, type Report } from './report.js';
import { LOCK_SERIES } from './series.js';
import type { Writer } from './writer.js';

/** `isTaken`: whether it has an article in this language. */
export const FIND_TRANSLATIONS = statement<
  [memberId: number, key: string, language: string | null],
  { id: number; articles: number; isTaken: boolean }
>(
  'import_find_translations',
  `select g.id, count(a.id)::integer as articles, coalesce(bool_or(a.language = $3), false) as "isTaken"
   from translation_groups g left join all_articles a on a.translation_group_id = g.id
   where g.member_id = $1 and g.key = $2 group by g.id`,
);

export const ADD_TRANSLATIONS = statement<[memberId: number, key: string], { id: number }>(
  'import_add_translations',
  'insert into translation_groups (member_id, key) values ($1, $2) returning id',
);

const TAKEN = 'translations in a language that another one has: they are of no other article';
const FULL = `translations beyond ${MAX_TRANSLATIONS} of an article: they are of no other article`;

/** @returns the group of a new article; null if it is in none */
export async function saveTranslations(
  { run }: Writer,
  memberId: number,
  plan: ArticlePlan,
  report: Report,
): Promise<number | null> {
  const { translationKey: key, metadata } = plan;
  if (key === null) return null;
  // Before the articles, as by requests.
  await run(LOCK_SERIES, [memberId]);
  const [found] = await run(FIND_TRANSLATIONS, [memberId, key, metadata.language]);
  const isFull = found !== undefined && found.articles >= MAX_TRANSLATIONS;
  if (found && (found.isTaken || isFull)) {
    report.addNotes([note('reduced', found.isTaken ? TAKEN : FULL, nameOf(plan))]);
    return null;
  }
  const [group] = found ? [found] : await run(ADD_TRANSLATIONS, [memberId, key]);
  return group?.id ?? null;
}
