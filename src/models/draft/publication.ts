/** Statements that publish drafts, at once or at a scheduled time. All times are compared with the clock of the database. */
import type { InferAttributes } from 'sequelize';
import { jobType, queues } from '../../platform/database/queue.js';
import { statement } from '../../platform/database/statement.js';
import { type Suspension, suspensionOf } from '../moderation/suspension.js';
import { DRAFTS, type Draft } from './draft.js';

/** Runs at the time of a schedule, and at least once a day before it. */
export const PUBLISH_DRAFTS = jobType<{ draftId: number }>(
  'publish-drafts',
  queues(
    'publications',
    1,
    'Concurrent publications of scheduled drafts, of all processes together. Further ones wait.',
  ),
);

/** A draft as it was read before the transaction that publishes it. */
export type ReadDraft = InferAttributes<Draft>;

export type ScheduledDraft = ReadDraft & { publishAt: Date };

export const DRAFT_TO_PUBLISH = statement<[draftId: number, memberId: number], ReadDraft>(
  'draft_to_publish',
  `select ${DRAFTS.select('d')} from drafts d where d.id = $1 and d.member_id = $2`,
);

/** The category of a draft, or the default one, locked so that it is not deleted until the end of the transaction. */
export const CATEGORY_FOR_DRAFT = statement<[memberId: number, categoryId: number | null], { id: number }>(
  'category_for_draft',
  `select id from categories where member_id = $1 and (id = $2 or is_default) order by id = $2 desc nulls last limit 1
   for key share`,
);

export const IMAGE_FOR_DRAFT = statement<[imageId: number], { key: string; width: number; height: number }>(
  'image_for_draft',
  'select key, width, height from images where id = $1 for key share',
);

/**
 * What would prevent the publication of a draft now. `revision`: that of its article; null if there is none. `isTranslated`: its translations have one
 * in its language.
 */
export const CONFLICTS_OF_DRAFT = statement<
  [draftId: number],
  { revision: number | null; isRemoved: boolean; isSlugTaken: boolean; isTranslated: boolean }
>(
  'conflicts_of_draft',
  `select a.revision, a.removed_at is not null as "isRemoved", not d.is_private and exists (
       select from article_slugs s where s.slug = d.slug and s.article_id is distinct from d.article_id) as "isSlugTaken",
     exists (
       select from all_articles o where o.language = d.language and o.id is distinct from d.article_id and (
         o.id = d.translation_of or o.translation_group_id = case
           when d.translation_of is not null then t.translation_group_id when not d.leaves_translations then a.translation_group_id end)
     ) as "isTranslated"
   from drafts d left join all_articles a on a.id = d.article_id left join all_articles t on t.id = d.translation_of where d.id = $1`,
);

/** SQL that adds the job of the scheduled drafts in `source`; a waiting one is replaced. No job may wait for longer than a day. */
const addJobs = (
  source: string,
) => `select graphile_worker.add_job('${PUBLISH_DRAFTS.name}', json_build_object('draftId', id),
     queue_name => '${PUBLISH_DRAFTS.queues.name}-0', job_key => '${PUBLISH_DRAFTS.name}:' || id,
     run_at => least(publish_at, now() + interval '1 day'))
   from ${source}`;

/** The revision stays: it is that of the text. The transaction must have locked the row. */
export const SCHEDULE_DRAFT = statement<[draftId: number, publishAt: string]>(
  'schedule_draft',
  `with scheduled as (
     update drafts set publish_at = $2, publication_error = null where id = $1 returning id, publish_at
   )
   ${addJobs('scheduled')}`,
);

/** The job of the schedule finds nothing to do. */
export const UNSCHEDULE_DRAFT = statement<[draftId: number]>(
  'unschedule_draft',
  `update drafts set publish_at = null, publication_error = null
   where id = $1 and num_nonnulls(publish_at, publication_error) > 0`,
);

/** Adds the next job of a draft that is scheduled for a later time than the job which runs now. */
export const CONTINUE_SCHEDULE = statement<[draftId: number]>(
  'continue_schedule',
  addJobs('drafts where id = $1 and publish_at > now()'),
);

/**
 * Adds the jobs that scheduled drafts lack: they were deleted, or have failed too often to be tried again. No effect on waiting and running jobs.
 * Returns no `last` after the last draft. @param after id of the last draft of the previous batch
 */
export const RESUME_SCHEDULES = statement<[after: number, limit: number], { added: number; last: number | null }>(
  'resume_schedules',
  `with batch as (
     select id, publish_at from drafts where publish_at is not null and id > $1 order by id limit $2
   ), lost as (
     select id, publish_at from batch where not exists (
       select from graphile_worker.jobs j where j.key = '${PUBLISH_DRAFTS.name}:' || batch.id
         and (j.attempts < j.max_attempts or j.locked_at is not null))
   ), added as (${addJobs('lost')})
   select (select count(*) from added) as added, (select max(id) from batch) as last`,
);

/** A round of publications: the first due draft of each member besides those that have failed, in the order of their times. */
export const DUE_DRAFTS = statement<[failedIds: readonly number[]], { id: number }>(
  'due_drafts',
  `select id from (
     select distinct on (member_id) id, publish_at from drafts
     where publish_at <= now() and id <> all($1::bigint[]) order by member_id, publish_at, id) d
   order by publish_at, id limit 1000`,
);

export const DUE_DRAFT = statement<[draftId: number], ScheduledDraft>(
  'due_draft',
  `select ${DRAFTS.select('d')} from drafts d where d.id = $1 and d.publish_at <= now()`,
);

/** Locks the author of a scheduled draft, who may be locked or suspended. */
export const AUTHOR_OF_SCHEDULE = statement<[memberId: number], { isLocked: boolean; suspension: Suspension | null }>(
  'author_of_schedule',
  `select locked_at is not null as "isLocked", ${suspensionOf('m')} as suspension from members m where id = $1 for share`,
);

/** A row if the draft is still as it was read: an edit may have corrected the error, and the schedule may have changed. */
export const FAIL_PUBLICATION = statement<
  [draftId: number, publishAt: Date, revision: number, errorKey: string],
  { memberId: number }
>(
  'fail_publication',
  `update drafts set publish_at = null, publication_error = $4
   where id = $1 and publish_at = $2 and revision = $3 returning member_id as "memberId"`,
);
