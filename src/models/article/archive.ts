/** The number of public articles by month (UTC), which triggers keep (migrations/0001/11-views-and-periods.sql). */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { statement } from '../../platform/database/statement.js';

export const MAX_ARCHIVE_MONTHS = fixedLimit({
  area: 'Reading',
  about: 'Months in the archive, the latest ones that have articles.',
  value: 1_200,
  error: null,
});

export interface ArchiveMonth {
  year: number;
  month: number;
  articleCount: number;
}

const MONTH = 'extract(year from month)::integer as year, extract(month from month)::integer as month';

/** Latest first. */
export const ARCHIVE = statement<[], ArchiveMonth>(
  'archive',
  `select ${MONTH}, articles as "articleCount" from (
     select month, sum(articles)::integer as articles from journal_months group by month
   ) m where articles > 0 order by m.month desc limit ${MAX_ARCHIVE_MONTHS}`,
);

/** Latest first. */
export const MEMBER_ARCHIVE = statement<[memberId: number], ArchiveMonth>(
  'member_archive',
  `select ${MONTH}, articles as "articleCount" from member_months m
   where member_id = $1 and articles > 0 order by m.month desc limit ${MAX_ARCHIVE_MONTHS}`,
);
