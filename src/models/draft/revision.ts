/** Earlier states of drafts. A trigger stores them (migrations/0001/07-drafts-and-revisions.sql). */
import { statement } from '../../platform/database/statement.js';
import { REVISION_COLUMNS, type RevisionDetailRow, type RevisionRow } from '../article/revision.js';
import { draftExists } from './draft.js';

/** Newest first; at least one row, with only the total where the page is empty. No row if the member has no such draft. */
export const DRAFT_REVISION_PAGE = statement<
  [draftId: number, memberId: number, seesPrivate: boolean, size: number, offset: number],
  (RevisionRow | { number: null }) & { total: number }
>(
  'draft_revision_page',
  `select ${REVISION_COLUMNS}, t.total
   from (select (select count(*) from draft_revisions where draft_id = d.id) as total from drafts d where d.id = $1 and d.member_id = $2 and ${draftExists('$3')}) t
     left join lateral (select * from draft_revisions where draft_id = $1 order by number desc limit $4 offset $5) r on true
   order by r.number desc`,
);

/** Only nulls if the draft has no such revision. No row if the member has no such draft. */
export const FIND_DRAFT_REVISION = statement<
  [draftId: number, memberId: number, seesPrivate: boolean, number: number],
  RevisionDetailRow | { number: null }
>(
  'find_draft_revision',
  `select ${REVISION_COLUMNS}, r.content, r.tags from drafts d left join draft_revisions r on r.draft_id = d.id and r.number = $4
   where d.id = $1 and d.member_id = $2 and ${draftExists('$3')}`,
);
